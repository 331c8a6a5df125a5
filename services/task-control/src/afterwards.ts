/**
 * What is written for those who ask later is written once those who wait now have been answered, in the order in which it
 * came: an order, or an answer, behind it in the same turn would wait for the server to store it.
 */
export function afterwards(write: () => Promise<unknown>): void {
  setImmediate(() => void write());
}

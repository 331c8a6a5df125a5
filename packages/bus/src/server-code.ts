import { NatsError } from "nats";

/** Whether the JetStream server refused with this code of its own (`err_code`): words change, codes do not. */
export function hasCode(thrown: unknown, code: number): boolean {
  return thrown instanceof NatsError && thrown.api_error?.err_code === code;
}

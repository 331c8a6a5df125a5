/** Whether the work ended within the time; what it threw counts as its end, and is nobody's concern here. */
export async function within(ms: number, work: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  const ended = work.then(
    () => true,
    () => true,
  );
  const inTime = await Promise.race([ended, late]);
  clearTimeout(timer);
  return inTime;
}

/** `1 event`, `2 events`; a count that is written already, such as `1,204`, is taken as it is. */
export function some(count: number | string, one: string, many = `${one}s`): string {
  return `${count} ${String(count) === '1' ? one : many}`
}

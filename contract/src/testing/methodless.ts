/** What JSON can hold and `String`, `Number` and a template throw at. */
const methodless: unknown = JSON.parse(
  '{"toString":1,"valueOf":1,"hasOwnProperty":1,"then":1,"toJSON":1,"length":1e9}',
)

/** Copies of a value of JSON, each with such an object at another of its places. */
export function methodlessCopies(value: unknown): unknown[] {
  if (typeof value !== 'object' || value === null) return [methodless]
  return [
    methodless,
    ...Object.entries(value).flatMap(([key, member]) =>
      methodlessCopies(member).map((copy) =>
        Array.isArray(value) ? value.with(Number(key), copy) : { ...value, [key]: copy },
      ),
    ),
  ]
}

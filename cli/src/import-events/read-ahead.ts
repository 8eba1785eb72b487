/** Several items at a time; the last group may have fewer. */
export async function* inGroups<Item>(items: AsyncIterable<Item>, size: number): AsyncGenerator<Item[]> {
  let group: Item[] = []
  for await (const item of items) {
    group.push(item)
    if (group.length < size) continue
    yield group
    group = []
  }
  if (group.length > 0) yield group
}

type Read<Item> = { result: IteratorResult<Item> } | { error: unknown }

/** Reads one item ahead, while the caller works on the one before. */
export async function* readAhead<Item>(items: AsyncIterable<Item>): AsyncGenerator<Item> {
  const iterator = items[Symbol.asyncIterator]()
  // A failure is thrown when it is its turn: by then the caller has done what came before.
  const read = (): Promise<Read<Item>> =>
    iterator.next().then(
      (result) => ({ result }),
      (error: unknown) => ({ error }),
    )
  let next = read()
  try {
    for (;;) {
      const found = await next
      if ('error' in found) throw found.error
      if (found.result.done) return
      next = read()
      yield found.result.value
    }
  } finally {
    await next
    await iterator.return?.()
  }
}

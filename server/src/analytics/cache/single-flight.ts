/**
 * Concurrent callers wait, and then share a computation that started after their request: it contains
 * everything they did before, and at most two run, for any number of callers.
 */
type SingleFlight = {
  take: <Value>(key: string, make: () => Promise<Value>) => Promise<Value>
}

type Turn = { current: Promise<unknown>; next: Promise<unknown> | null }

export function createSingleFlight(): SingleFlight {
  // bounded: by the requests that are being answered.
  const turns = new Map<string, Turn>()

  const begin = (key: string, make: () => Promise<unknown>): Promise<unknown> => {
    const turn: Turn = { current: make(), next: null }
    turns.set(key, turn)
    const end = () => {
      if (turns.get(key) === turn && turn.next === null) turns.delete(key)
    }
    turn.current.then(end, end)
    return turn.current
  }

  const join = (key: string, turn: Turn, make: () => Promise<unknown>): Promise<unknown> => {
    const start = () => begin(key, make)
    turn.next ??= turn.current.then(start, start)
    return turn.next
  }

  return {
    take: <Value>(key: string, make: () => Promise<Value>) => {
      const turn = turns.get(key)
      const made = turn === undefined ? begin(key, make) : join(key, turn, make)
      // boundary: the value of a key was computed by the same query.
      return made as Promise<Value>
    },
  }
}

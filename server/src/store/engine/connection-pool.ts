import type { EngineConnection } from './engine-connection.ts'

type Member = { connection: EngineConnection; waiting: number; last: Promise<unknown> }

/**
 * Connections to one directory run side by side, and each is used by one caller at a time: parameters are set on a
 * connection before the statement that reads them. More are opened as they are needed: most of the time one is enough.
 */
export class ConnectionPool {
  readonly #open: () => EngineConnection
  readonly #size: number
  readonly #members: Member[] = []

  constructor(open: () => EngineConnection, size: number) {
    this.#open = open
    this.#size = size
  }

  /** On a connection that is free or, if none is, on the one with the fewest callers. */
  async run<Answer>(act: (connection: EngineConnection) => Promise<Answer>): Promise<Answer> {
    const member = this.#choose()
    const turn = member.last.then(() => this.#act(member, act))
    member.last = turn.catch(() => undefined)
    member.waiting += 1
    try {
      return await turn
    } finally {
      member.waiting -= 1
    }
  }

  async close(): Promise<void> {
    for (const { connection, last } of this.#members) await last.then(() => connection.close())
  }

  /**
   * What a statement had written before it failed stays on the connection, and would begin the answer of the next one,
   * from any caller.
   */
  async #act<Answer>(
    member: Member,
    act: (connection: EngineConnection) => Promise<Answer>,
  ): Promise<Answer> {
    try {
      return await act(member.connection)
    } catch (error) {
      const { connection } = member
      // First, or the engine would close with its last connection.
      member.connection = this.#open()
      await connection.close()
      throw error
    }
  }

  #choose(): Member {
    const free = this.#members.find(({ waiting }) => waiting === 0)
    if (free !== undefined) return free
    const least = this.#members.toSorted((a, b) => a.waiting - b.waiting)[0]
    return least === undefined || this.#members.length < this.#size ? this.#add() : least
  }

  #add(): Member {
    const member = { connection: this.#open(), waiting: 0, last: Promise.resolve() }
    this.#members.push(member)
    return member
  }
}

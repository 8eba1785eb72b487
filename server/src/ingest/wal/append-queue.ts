import { LogFull } from './event-log.ts'
import { addWaiting, type LineOwner } from './pending-tally.ts'
import type { Waiting } from './segment.ts'
import { addTraces, type Traced } from './traces.ts'

/** What arrived together: one write, and one confirmation that all its callers share. */
export type Group = {
  kind: 'group'
  text: string
  bytes: number
  events: number
  tally: Map<string, Waiting>
  done: PromiseWithResolvers<void>
} & Traced
type Rotation = { kind: 'rotation'; done: PromiseWithResolvers<void> }

type QueueOptions = {
  /** Maximum size of a group, except for a single larger append. */
  groupBytesMax: number
  now: () => number
  /** Writes a group, and settles it with `accept` or `refuse`. */
  commit: (group: Group) => Promise<void>
  /** Closes the segment with everything before. */
  rotate: () => Promise<void>
}

/** A stalled disk must not fill the heap with waiting lines: 64 MB is over a hundred thousand events. */
const waitingBytesMax = 67_108_864

/** Appends and rotations in the order of their calls, carried out one after the other. */
export class AppendQueue {
  readonly #options: QueueOptions
  readonly #tasks: (Group | Rotation)[] = []
  #waitingBytes = 0
  #isWorking = false

  constructor(options: QueueOptions) {
    this.#options = options
  }

  /** Of groups that are neither accepted nor refused. */
  get waitingBytes(): number {
    return this.#waitingBytes
  }

  append(lines: string, bytes: number, events: number, owner: LineOwner): Promise<void> {
    const waitingBytes = this.#waitingBytes + bytes
    if (waitingBytes > waitingBytesMax) {
      return Promise.reject(new LogFull('too many bytes wait for the disk'))
    }
    const group = this.#groupFor(bytes)
    group.text += lines
    group.bytes += bytes
    group.events += events
    const waiting = { events: owner.stored, sinceMs: this.#options.now() }
    addWaiting(group.tally, owner.workspaceId, waiting)
    if (owner.trace !== undefined) addTraces(group, [owner.trace])
    this.#waitingBytes = waitingBytes
    return group.done.promise
  }

  /** The last group in the queue, unless it would become too large for one segment. */
  #groupFor(bytes: number): Group {
    const last = this.#tasks.at(-1)
    if (last?.kind === 'group' && last.bytes + bytes <= this.#options.groupBytesMax) return last
    const group: Group = {
      kind: 'group',
      text: '',
      bytes: 0,
      events: 0,
      tally: new Map(),
      done: Promise.withResolvers(),
    }
    this.#enqueue(group)
    return group
  }

  rotate(): Promise<void> {
    const last = this.#tasks.at(-1)
    if (last?.kind === 'rotation') return last.done.promise
    const rotation: Rotation = { kind: 'rotation', done: Promise.withResolvers() }
    this.#enqueue(rotation)
    return rotation.done.promise
  }

  accept(group: Group): void {
    this.#waitingBytes -= group.bytes
    group.done.resolve()
  }

  refuse(group: Group, failure: Error): void {
    this.#waitingBytes -= group.bytes
    group.done.reject(failure)
  }

  /** Starts after the requests that are already there have been read, so that they share the first group. */
  #enqueue(task: Group | Rotation): void {
    this.#tasks.push(task)
    if (this.#isWorking) return
    this.#isWorking = true
    setImmediate(() => this.#work())
  }

  async #work(): Promise<void> {
    const { commit, rotate } = this.#options
    for (let task = this.#tasks.shift(); task !== undefined; task = this.#tasks.shift()) {
      if (task.kind === 'group') await commit(task)
      else await rotate().then(task.done.resolve, task.done.reject)
    }
    this.#isWorking = false
  }
}

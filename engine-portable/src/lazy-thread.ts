import { EventEmitter } from 'node:events'
import { Worker, type WorkerOptions } from 'node:worker_threads'

type Message = { cmd?: string }

/**
 * A thread of the engine, which starts when the engine gives it work. The engine's own code makes sixteen of them and
 * waits until each has loaded the module, a tenth of a second of work for every one; the first statements need one, and
 * a quarter is never used. So this one says at once that it has loaded, and loads before its first work.
 *
 * A thread of Node closes the descriptors that were opened in it when it ends. The engine closes in one thread what it
 * opened in another, so the number may belong to another file by then, such as the log: hence `trackUnmanagedFds`.
 */
export class LazyThread extends EventEmitter {
  readonly #start: () => Worker
  #thread: Worker | undefined
  #load: Message | undefined

  constructor(file: string | URL, options: WorkerOptions) {
    super()
    this.#start = () => new Worker(file, { ...options, trackUnmanagedFds: false })
  }

  postMessage(message: Message): void {
    if (this.#thread === undefined && message.cmd === 'load') {
      this.#load = message
      queueMicrotask(() => this.emit('message', { cmd: 'loaded' }))
      return
    }
    this.#thread ??= this.#started()
    this.#thread.postMessage(message)
  }

  #started(): Worker {
    const thread = this.#start()
    for (const name of ['message', 'error', 'exit']) thread.on(name, (value) => this.emit(name, value))
    thread.postMessage(this.#load)
    this.#load = undefined
    return thread
  }

  ref(): void {
    this.#thread?.ref()
  }

  unref(): void {
    this.#thread?.unref()
  }

  async terminate(): Promise<void> {
    await this.#thread?.terminate()
  }
}

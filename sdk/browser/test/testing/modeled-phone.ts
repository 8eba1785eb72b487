import { setImmediate as turn } from 'node:timers/promises'
import { bundleApp } from '../../../../scripts/packages/app-entries.ts'
import type { AppClient } from '../../src/app/app-client.ts'
import type * as entry from '../../src/app/react-native.ts'

/** The entry as it is published. */
const text = await bundleApp('react-native', 'esm')
const { init }: typeof entry = await import(`data:text/javascript,${encodeURIComponent(text)}`)

/** What happens to a request: it arrives, fails, arrives without its answer, or is asked to come later. */
export type NetworkMode = 'good' | 'offline' | 'cut' | 'busy'
/** What happens to a call of the storage: it works, fails, or fails although it had its effect. */
export type StorageMode = 'good' | 'fails' | 'lies'

type Result = { event_id?: string; duplicate?: boolean; outcome?: string }

/** A phone with its storage and its network, on which one app is started and killed again and again. */
export class ModeledPhone {
  readonly stored = new Map<string, string>()
  /** Where requests went, with their bodies. */
  readonly requests: { path: string; body: string }[] = []
  readonly verdicts: Result[] = []
  network: NetworkMode = 'good'
  storage: StorageMode = 'good'
  lost = 0
  client: AppClient
  /** Called with `active` and `background`, as React Native does. */
  changeState: (state: string) => void = () => {}
  readonly #host: string
  readonly #key: string
  readonly #options: Partial<entry.ReactNativeOptions>
  #life = 0

  constructor(host: string, key: string, options: Partial<entry.ReactNativeOptions> = {}) {
    this.#host = host
    this.#key = key
    this.#options = options
    this.client = this.#start()
  }

  /** As the system ends an app: calls under way have no answer, and no handler runs. */
  kill(): void {
    this.client = this.#start()
  }

  /** Lets promises and the storage continue. */
  async settle(turns = 5): Promise<void> {
    for (let n = 0; n < turns; n += 1) await turn()
  }

  /** Numbers of the events that the storage holds. */
  storedNumbers(): number[] {
    const parts = [...this.stored].filter(([name]) => name.includes('.q.')).map(([, text]) => text)
    return parts.flatMap((text) => [...text.matchAll(/\\"nth\\":(\d+)/g)].map(([, nth]) => Number(nth)))
  }

  #start(): AppClient {
    this.#life += 1
    const life = this.#life
    return init(this.#key, {
      host: this.#host,
      platform: { OS: 'android', Version: 34 },
      flushMs: 1,
      onError: ({ count }) => {
        if (life === this.#life) this.lost += count
      },
      appState: {
        addEventListener: (_type, listener) => {
          if (life === this.#life) this.changeState = listener
        },
      },
      storage: this.#storageOf(life),
      fetch: (url, { body }) => this.#send(life, url, body),
      ...this.#options,
    })
  }

  #storageOf(life: number) {
    const call = async <Value>(act: () => Value): Promise<Value> => {
      await turn()
      // A killed app neither reads nor writes.
      if (life !== this.#life) return new Promise<Value>(() => {})
      if (this.storage === 'fails') throw new Error('the storage is full')
      const value = act()
      if (this.storage === 'lies') throw new Error('the storage failed afterwards')
      return value
    }
    return {
      getItem: (name: string) => call(() => this.stored.get(name) ?? null),
      setItem: (name: string, text: string) => call(() => void this.stored.set(name, text)),
      removeItem: (name: string) => call(() => void this.stored.delete(name)),
    }
  }

  async #send(life: number, url: string, body: string): Promise<Response> {
    if (life !== this.#life) return new Promise(() => {})
    const mode = this.network
    this.requests.push({ path: new URL(url).pathname, body })
    if (mode === 'offline') throw new TypeError('Network request failed')
    if (mode === 'busy') return new Response('', { status: 503, headers: { 'retry-after': '60' } })
    const answer = await fetch(url, { method: 'POST', body })
    const text = await answer.text()
    const { results = [] }: { results?: Result[] } = answer.ok ? JSON.parse(text) : {}
    this.verdicts.push(...results)
    if (life !== this.#life) return new Promise(() => {})
    if (mode === 'cut') throw new TypeError('Network request failed')
    return new Response(text, { status: answer.status })
  }
}

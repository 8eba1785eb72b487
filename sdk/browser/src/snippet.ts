import { type Client, init, type Options } from './client.ts'

/**
 * The file that a page loads with a script tag. `window.assay` takes calls by name, `assay('track', …)`,
 * before this file is loaded (the stub in the page queues them) and after; once loaded, it has the methods
 * too.
 */
type Assay = ((name: string, ...args: never[]) => void) & Partial<Client> & { q?: WrittenCall[] }
type WrittenCall = [at: number, call: ArrayLike<string>]

function install(script: HTMLOrSVGScriptElement | null): void {
  // boundary: the stub has a name of ours on a type that does not know it.
  const globals = window as unknown as { assay?: Assay }
  // A page may contain the script twice, but each event happened once.
  if (globals.assay?.track || !(script instanceof HTMLScriptElement)) return
  const { key, consent, options = '{}' } = script.dataset
  if (!key) return
  const settings: Options = {
    // Where the script lies: a site may have it, and the product, under a path of its own.
    host: new URL('.', script.src).href,
    ...(consent === 'denied' && { consent }),
    ...JSON.parse(options),
  }
  const client = init(key, settings)
  const perform = (name: string, args: readonly unknown[]): void => {
    // boundary: names and arguments come from the page; unknown names are ignored, and methods never throw.
    const method = (client as unknown as Record<string, (...args: readonly unknown[]) => void>)[name]
    method?.(...args)
  }
  const written = globals.assay?.q ?? []
  globals.assay = Object.assign((name: string, ...args: never[]) => perform(name, args), client)
  for (const [ts, call] of written) {
    const [name = '', ...args] = Array.from(call)
    // boundary: the second argument of track is an object.
    if (name === 'track') client.send({ event: args[0] ?? '', properties: Object(args[1]), ts })
    else perform(name, args)
  }
}

try {
  install(document.currentScript)
} catch {
  // A page with a wrong option must work as it does without us. The developer notices by the missing events.
}

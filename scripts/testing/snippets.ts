/** A block of code on a page: ```ts and the like. */
export type Snippet = { page: string; line: number; language: string; code: string }

const block = /^```(\w+)([^\n]*)\n([\s\S]*?)^```$/gm

/** `continued` after the language joins a block to the one above it, as a reader does. */
export function snippetsIn(page: string, text: string, languages: readonly string[]): Snippet[] {
  const found: Snippet[] = []
  for (const { 1: language = '', 2: info = '', 3: code = '', index } of text.matchAll(block)) {
    if (!languages.includes(language)) continue
    const last = found.at(-1)
    const line = text.slice(0, index).split('\n').length + 1
    if (info.trim() === 'continued' && last?.language === language) last.code += `\n${code}`
    else found.push({ page, line, language, code })
  }
  return found
}

/**
 * A folder for each page, in which a block has its line as a name. A block that says its file in its first line
 * (`// src/assay.ts`) is that file, so that others of the page can import it.
 */
export function pathOf({ page, line, language, code }: Snippet): string {
  const folder = page.replace(/\.md$/, '').replace(/[^\w-]+/g, '-')
  const named = /^\/\/ ([\w./-]+\.\w+)\n/.exec(code)?.[1]
  return `${folder}/${named ?? `line-${line}.${language}`}`
}

/** What script tags bring to a page, for blocks that run there: ours, Google's, Matomo's, and Shopify's sandbox. */
export const pageGlobals = `import type { Client } from '@assay/browser'
declare global {
  var assay: Client & ((method: string, ...values: unknown[]) => void)
  function gtag(...values: unknown[]): void
  var _paq: unknown[][]
  var analytics: {
    subscribe: (name: 'checkout_completed', listener: (event: CheckoutCompleted) => void) => void
  }
}
/** As Shopify documents the event. */
type CheckoutCompleted = {
  id: string
  clientId: string
  data: { checkout: { currencyCode: string; totalPrice: { amount: number }; order: { id: string } } }
}
`

/**
 * What the guides for apps import, as far as they use it and as its documentation has it: the packages themselves bring
 * a whole React Native.
 */
export const appModules = `declare module 'react-native' {
  export const Platform: { OS: 'ios' | 'android' | 'macos' | 'windows' | 'web'; Version: string | number }
  type AppStateStatus = 'active' | 'background' | 'inactive' | 'unknown' | 'extension'
  export const AppState: {
    addEventListener: (
      type: 'change' | 'memoryWarning' | 'blur' | 'focus',
      listener: (state: AppStateStatus) => void,
    ) => { remove: () => void }
  }
}
declare module '@react-native-async-storage/async-storage' {
  type Callback<Result> = (error?: Error | null, result?: Result) => void
  const AsyncStorage: {
    getItem: (key: string, callback?: Callback<string | null>) => Promise<string | null>
    setItem: (key: string, value: string, callback?: Callback<void>) => Promise<void>
    removeItem: (key: string, callback?: Callback<void>) => Promise<void>
  }
  export default AsyncStorage
}
declare module '@react-navigation/native' {
  export function createNavigationContainerRef(): { getCurrentRoute: () => { name: string } | undefined }
}
declare module '@capacitor/core' {
  export const Capacitor: { getPlatform: () => string }
}
declare module '@capacitor/app' {
  type AppState = { isActive: boolean }
  export const App: {
    addListener: (
      name: 'appStateChange',
      listener: (state: AppState) => void,
    ) => Promise<{ remove: () => Promise<void> }>
  }
}
declare module '@capacitor/preferences' {
  export const Preferences: {
    get: (options: { key: string }) => Promise<{ value: string | null }>
    set: (options: { key: string; value: string }) => Promise<void>
    remove: (options: { key: string }) => Promise<void>
  }
}
`

import type { AnyEvents } from '../typed-events.ts'
import { type AppClient, createAppClient } from './app-client.ts'
import type { AppOptions } from './options.ts'
import type { AppStorage } from './storage.ts'

export type { ConsentCategory, ConsentChoice, ConsentChoices, ConsentInput } from '../consent.ts'
export type { Loss } from '../delivery/losses.ts'
export type { AppClient, AppOptions, AppStorage }

export type CapacitorOptions = AppOptions & {
  /** `Preferences` of `@capacitor/preferences`. Without it events are in memory only. */
  preferences?: {
    get: (options: { key: string }) => Promise<{ value: string | null }>
    set: (options: { key: string; value: string }) => Promise<void>
    remove: (options: { key: string }) => Promise<void>
  }
  /** What `Capacitor.getPlatform()` of `@capacitor/core` answers. */
  platform: string
  /** `App` of `@capacitor/app`. */
  appState?: {
    addListener: (type: 'appStateChange', listener: (state: { isActive: boolean }) => void) => unknown
  }
}

const systems: Record<string, string> = { ios: 'iOS', android: 'Android' }

/** For the whole app, once. No call waits for the network or throws. */
export function init<Events = AnyEvents>(key: string, options: CapacitorOptions): AppClient<Events> {
  const { preferences, platform } = options
  return createAppClient<Events>(key, options, {
    library: '@assay/browser/capacitor',
    storage: preferences && {
      getItem: async (name) => (await preferences.get({ key: name })).value,
      setItem: (name, value) => preferences.set({ key: name, value }),
      removeItem: (name) => preferences.remove({ key: name }),
    },
    os: { name: systems[platform] ?? platform },
    watchFront: (onChange) =>
      void options.appState?.addListener('appStateChange', ({ isActive }) => onChange(isActive)),
  })
}

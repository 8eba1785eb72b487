import type { AnyEvents } from '../typed-events.ts'
import { type AppClient, createAppClient } from './app-client.ts'
import type { AppOptions } from './options.ts'
import type { AppStorage } from './storage.ts'

export type { ConsentCategory, ConsentChoice, ConsentChoices, ConsentInput } from '../consent.ts'
export type { Loss } from '../delivery/losses.ts'
export type { AppClient, AppOptions, AppStorage }

export type ReactNativeOptions = AppOptions & {
  /** `AsyncStorage`, or anything of its shape. Without it events are in memory only. */
  storage?: AppStorage
  /** `Platform` of `react-native`. */
  platform: { OS: string; Version: string | number }
  /** `AppState` of `react-native`. */
  appState?: { addEventListener: (type: 'change', listener: (state: string) => void) => unknown }
}

const systems: Record<string, string> = { ios: 'iOS', android: 'Android', macos: 'macOS', windows: 'Windows' }

/** For the whole app, once. No call waits for the network or throws. */
export function init<Events = AnyEvents>(key: string, options: ReactNativeOptions): AppClient<Events> {
  const { OS, Version } = options.platform
  return createAppClient<Events>(key, options, {
    library: '@assay/browser/react-native',
    storage: options.storage,
    os: { name: systems[OS] ?? OS, version: String(Version) },
    watchFront: (onChange) =>
      void options.appState?.addEventListener('change', (state) => {
        if (state !== 'inactive') onChange(state === 'active')
      }),
  })
}

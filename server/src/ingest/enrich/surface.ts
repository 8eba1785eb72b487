import { rememberRecent } from '../../platform/recent-cache.ts'
import type { Device } from './agent-marks.ts'

export type Surface = 'web' | 'ios' | 'android' | 'server'

export interface SurfaceFacts {
  readonly credential: 'public' | 'secret'
  readonly libraryName: string
  readonly osName: string
  readonly deviceType: string
  /** Called only if the rest is inconclusive: it has to parse a URL. */
  readonly hasPage: () => boolean
  readonly hasApp: boolean
}

/**
 * Which kind of program sent an event. The SDK's name is the best evidence; native SDKs put the system into
 * the device type; an app version together with a phone's system means an app too.
 */
export function surfaceOf(facts: SurfaceFacts): Surface {
  const byLibrary = librarySurface(facts.libraryName)
  const native = nativeSurface(facts.deviceType) ?? (facts.hasApp ? nativeSurface(facts.osName) : undefined)
  // A library for Java runs in apps, too; those have a public key, and servers have a secret one.
  const isApp = byLibrary === 'server' && facts.credential === 'public' && native !== undefined
  if (byLibrary !== '' && !isApp) return byLibrary
  if (native !== undefined && !facts.hasPage()) return native
  return facts.credential === 'secret' ? 'server' : 'web'
}

const webLibraries = /browser|web|analytics\.js|analytics-next|javascript|rudder.*js|js-sdk/
const serverLibraries =
  /node|python|ruby|php|java\b|golang|analytics-go|\.net|dotnet|csharp|rust|server|elixir/

/** There are a few dozen libraries; the rest is for invented names. */
const rememberedLibraries = 256

/** Cross-platform libraries (React Native, Flutter) run on both systems, so the device decides. */
const librarySurface: (name: string) => Surface | '' = rememberRecent((libraryName) => {
  const name = libraryName.toLowerCase()
  if (name === '' || /react-native|flutter|unity|xamarin|capacitor|cordova/.test(name)) return ''
  if (/ios|swift|cocoa|objc/.test(name)) return 'ios'
  if (/android|kotlin/.test(name)) return 'android'
  if (serverLibraries.test(name)) return 'server'
  return webLibraries.test(name) ? 'web' : ''
}, rememberedLibraries)

function nativeSurface(system: string): Surface | undefined {
  switch (system.toLowerCase()) {
    case 'ios':
    case 'ipados':
    case 'iphone os':
      return 'ios'
    case 'android':
      return 'android'
    default:
      return undefined
  }
}

/** Values of `context.device.type`; a system's name alone means a phone. */
const deviceTypes: ReadonlyMap<string, Device> = new Map([
  ['desktop', 'desktop'],
  ['mobile', 'mobile'],
  ['phone', 'mobile'],
  ['smartphone', 'mobile'],
  ['handset', 'mobile'],
  ['ios', 'mobile'],
  ['android', 'mobile'],
  ['tablet', 'tablet'],
  ['ipad', 'tablet'],
  ['tv', 'tv'],
  ['smarttv', 'tv'],
])

export function deviceOfType(type: string): Device | '' {
  return type === '' ? '' : (deviceTypes.get(type.toLowerCase()) ?? '')
}

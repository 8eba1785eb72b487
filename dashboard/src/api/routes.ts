import type * as contract from '@assay/contract'
import type { RouteShape } from '@assay/contract'

type Contract = typeof contract

/** Every route of the contract by its name, which is also its id. */
export type RouteName = {
  [Name in keyof Contract]: Contract[Name] extends RouteShape ? Name : never
}[keyof Contract] &
  string
export type RouteOf<Name extends RouteName> = Extract<Contract[Name], RouteShape>

type Entry = { method: RouteShape['method']; path: string }

/** Put in by vite.config.ts from the routes themselves. */
declare const __ROUTES__: Readonly<Record<RouteName, Entry>>

export function routeNamed<Name extends RouteName>(name: Name): RouteOf<Name> {
  // boundary: the table was made from the very routes that type it; a call reads method and path alone.
  return __ROUTES__[name] as unknown as RouteOf<Name>
}

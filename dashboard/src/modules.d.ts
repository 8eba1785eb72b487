declare module '*.svg' {
  const address: string
  export default address
}
declare module '*.css'
/** Made by world-map.ts while the page is built. */
declare module 'virtual:world-map' {
  export const size: { width: number; height: number }
  /** The outline of each country, by its two letters. */
  export const outlines: Readonly<Record<string, string>>
}
/** Made by region-names.ts while the page is built. */
declare module 'virtual:region-names' {
  export const regionNames: Readonly<Record<string, string>>
}

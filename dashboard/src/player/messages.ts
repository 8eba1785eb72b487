/** Messages from the page to the player in its frame. Recorded events are passed unchanged. */
export type ToPlayer =
  | { kind: 'load'; events: readonly unknown[] }
  | { kind: 'play'; atMs: number }
  | { kind: 'pause'; atMs: number | null }
  | { kind: 'pace'; speed: number; skipsIdle: boolean }

/** Messages from the player to the page. Times are ms since the start of the recording. */
export type FromPlayer =
  | { kind: 'ready' }
  | { kind: 'loaded'; totalMs: number }
  | { kind: 'time'; atMs: number; isPlaying: boolean }
  | { kind: 'broken'; reason: string }

/** Served by the product next to the dashboard, with a separate policy. */
export const playerPath = '/player.html'

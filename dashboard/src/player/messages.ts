/** What the page tells the player that it frames. Recorded events are given as they were recorded. */
export type ToPlayer =
  | { kind: 'load'; events: readonly unknown[] }
  | { kind: 'play'; atMs: number }
  | { kind: 'pause'; atMs: number | null }
  | { kind: 'pace'; speed: number; skipsIdle: boolean }

/** What the player tells the page. Times are ms since the recording began. */
export type FromPlayer =
  | { kind: 'ready' }
  | { kind: 'loaded'; totalMs: number }
  | { kind: 'time'; atMs: number; isPlaying: boolean }
  | { kind: 'broken'; reason: string }

/** Served by the product beside the dashboard, under a policy of its own. */
export const playerPath = '/player.html'

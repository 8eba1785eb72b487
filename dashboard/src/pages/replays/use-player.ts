import { type RefObject, useCallback, useEffect, useRef, useState } from 'react'
import type { FromPlayer, ToPlayer } from '../../player/messages.ts'

type PlayerState = {
  /** Null until the recording is on the stage. */
  totalMs: number | null
  atMs: number
  isPlaying: boolean
  /** What the player made of something that is no recording. */
  broken: string | null
}

export type Player = PlayerState & {
  frame: RefObject<HTMLIFrameElement | null>
  send: (message: ToPlayer) => void
}

const idle: PlayerState = { totalMs: null, atMs: 0, isPlaying: false, broken: null }

/** The framed player: it is given the recording once it says that it is ready. */
export function usePlayer(events: readonly unknown[] | undefined, startMs: number): Player {
  const frame = useRef<HTMLIFrameElement>(null)
  const [state, setState] = useState(idle)
  const [isReady, setReady] = useState(false)
  const send = useCallback((message: ToPlayer) => {
    frame.current?.contentWindow?.postMessage(message, location.origin)
  }, [])
  useEffect(() => {
    const hear = ({ origin, source, data }: MessageEvent<FromPlayer>) => {
      if (origin !== location.origin || source !== frame.current?.contentWindow) return
      if (data.kind === 'ready') setReady(true)
      else setState((before) => heard(before, data))
    }
    addEventListener('message', hear)
    return () => removeEventListener('message', hear)
  }, [])
  useEffect(() => {
    if (isReady && events !== undefined) send({ kind: 'load', events })
  }, [isReady, events, send])
  const isLoaded = state.totalMs !== null
  useEffect(() => {
    if (isLoaded && startMs > 0) send({ kind: 'pause', atMs: startMs })
  }, [isLoaded, startMs, send])
  return { ...state, frame, send }
}

function heard(before: PlayerState, message: Exclude<FromPlayer, { kind: 'ready' }>): PlayerState {
  if (message.kind === 'loaded') return { ...before, totalMs: message.totalMs }
  if (message.kind === 'broken') return { ...before, broken: message.reason }
  return { ...before, atMs: message.atMs, isPlaying: message.isPlaying }
}

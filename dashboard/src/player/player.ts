import { Replayer } from 'rrweb'
import 'rrweb/dist/style.css'
import './player.css'
import type { FromPlayer, ToPlayer } from './messages.ts'

/**
 * The player of session replays, in a separate document. Recordings are hostile: anyone may send them. They
 * are rebuilt in a frame that runs no scripts, and the policy of this document blocks all loading.
 */

const tellingMs = 200

const stage = document.getElementById('stage')
if (stage === null) throw new Error('the player has a stage')

let replayer: Replayer | null = null
let isPlaying = false

function post(message: FromPlayer): void {
  parent.postMessage(message, location.origin)
}

function tellTime(): void {
  if (replayer !== null) post({ kind: 'time', atMs: Math.max(0, replayer.getCurrentTime()), isPlaying })
}

/** The recorded page as large as fits, in the middle. */
function fit(): void {
  const frame = replayer?.iframe
  if (frame === undefined || stage === null) return
  const [width, height] = [Number(frame.width) || 1, Number(frame.height) || 1]
  const scale = Math.min(innerWidth / width, innerHeight / height, 1)
  stage.style.transform = `scale(${scale}) translateX(-50%)`
}

type Recorded = ConstructorParameters<typeof Replayer>[0]

function load(events: readonly unknown[]): void {
  replayer?.destroy()
  isPlaying = false
  // boundary: the recorder wrote them; an invalid recording makes the player throw, which is reported below.
  const recorded = structuredClone(events) as Recorded
  const made = new Replayer(recorded, {
    root: stage ?? document.body,
    showWarning: false,
    mouseTail: false,
    skipInactive: true,
  })
  replayer = made
  made.on('resize', fit)
  made.on('finish', () => {
    isPlaying = false
    tellTime()
  })
  made.pause(0)
  post({ kind: 'loaded', totalMs: made.getMetaData().totalTime })
}

function obey(message: ToPlayer): void {
  if (message.kind === 'load') load(message.events)
  if (message.kind === 'load' || replayer === null) return
  if (message.kind === 'pace') {
    replayer.setConfig({ speed: message.speed, skipInactive: message.skipsIdle })
    return
  }
  isPlaying = message.kind === 'play'
  if (message.kind === 'play') replayer.play(message.atMs)
  else replayer.pause(message.atMs ?? undefined)
  tellTime()
}

addEventListener('message', ({ origin, source, data }: MessageEvent<ToPlayer>) => {
  if (origin !== location.origin || source !== parent) return
  try {
    obey(data)
  } catch (error) {
    post({ kind: 'broken', reason: error instanceof Error ? error.message : String(error) })
  }
})
addEventListener('resize', fit)
setInterval(() => {
  if (isPlaying) tellTime()
}, tellingMs)
post({ kind: 'ready' })

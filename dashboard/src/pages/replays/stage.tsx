import { useState } from 'react'
import { Button } from '../../kit/button.tsx'
import { Check, Field, SelectField } from '../../kit/field.tsx'
import { Empty, Failure, Loading } from '../../kit/states.tsx'
import { playerPath } from '../../player/messages.ts'
import { watchText } from '../../text/watch.ts'
import { useRecording } from './recording.ts'
import { type Player, usePlayer } from './use-player.ts'

const speeds = ['1', '2', '4', '8'] as const
const stepMs = 100

type StageProps = { replayId: string; startMs: number }

/** The recording and what moves it. */
export function Stage({ replayId, startMs }: StageProps) {
  const recording = useRecording(replayId)
  const player = usePlayer(recording.data, startMs)
  const words = watchText.replays
  if (recording.error !== null) {
    return <Failure error={recording.error} onRetry={() => void recording.refetch()} />
  }
  return (
    <div className="stack">
      {player.broken !== null && <Empty title={words.broken}>{player.broken}</Empty>}
      <iframe
        ref={player.frame}
        className="recording"
        title={words.recording}
        src={playerPath}
        hidden={player.broken !== null}
      />
      {recording.data === undefined && (
        <>
          <p className="soft small">{words.loading(recording.loadedEvents)}</p>
          <Loading lines={1} />
        </>
      )}
      {player.totalMs !== null && <Controls player={player} totalMs={player.totalMs} />}
    </div>
  )
}

/** `4:07`, as players count. */
function formatFilm(ms: number): string {
  const seconds = Math.floor(ms / 1_000)
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}

function Controls({ player, totalMs }: { player: Player; totalMs: number }) {
  const [pace, setPace] = useState({ speed: '1', skipsIdle: true })
  const words = watchText.replays
  const isOver = player.atMs >= totalMs
  const toggle = () =>
    player.send(
      player.isPlaying
        ? { kind: 'pause', atMs: null }
        : { kind: 'play', atMs: isOver ? 0 : Math.min(player.atMs, totalMs) },
    )
  const seek = (atMs: number) => player.send({ kind: player.isPlaying ? 'play' : 'pause', atMs })
  const change = (next: typeof pace) => {
    setPace(next)
    player.send({ kind: 'pace', speed: Number(next.speed), skipsIdle: next.skipsIdle })
  }
  const position = words.position(formatFilm(Math.min(player.atMs, totalMs)), formatFilm(totalMs))
  return (
    <div className="player-controls">
      <Button look="primary" onClick={toggle}>
        {player.isPlaying ? words.pause : words.play}
      </Button>
      <Field label={words.seek} hint={position}>
        {(ids) => (
          <input
            {...ids}
            type="range"
            min={0}
            max={Math.max(stepMs, totalMs)}
            step={stepMs}
            value={Math.min(player.atMs, totalMs)}
            aria-valuetext={position}
            onChange={(event) => seek(Number(event.target.value))}
          />
        )}
      </Field>
      <SelectField
        label={words.speed}
        value={pace.speed}
        choices={speeds.map((value) => ({ value: String(value), label: words.times(value) }))}
        onChange={(speed) => change({ ...pace, speed })}
      />
      <Check
        label={words.skipIdle}
        isOn={pace.skipsIdle}
        onChange={(skipsIdle) => change({ ...pace, skipsIdle })}
      />
    </div>
  )
}

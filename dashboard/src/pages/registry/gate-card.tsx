import type { GatePreset, getSeverities, Output } from '@assay/contract'
import { useRead, useWrite } from '../../api/reads.ts'
import { codeWords } from '../../code-words.ts'
import { formatCount } from '../../format.ts'
import { Badge, Card } from '../../kit/card.tsx'
import { Confirm } from '../../kit/confirm.tsx'
import { useNotice } from '../../kit/notice.tsx'
import { Shown } from '../../kit/states.tsx'
import { usePlace } from '../../shell/place.ts'
import { useMay } from '../../shell/session.ts'
import { gateText } from '../../text/gate.ts'

/** A week has every weekday in it. */
const days = 7

/** Whether the workspace learns or is strict, what strict would have quarantined, and the switch. */
export function GateCard() {
  const { siteId } = usePlace()
  const mayWrite = useMay('registry:write')
  const policy = useRead('getSeverities', { query: { site_id: siteId, days } })
  const preset = policy.data?.preset
  return (
    <Card
      title={gateText.gate.title}
      act={mayWrite && preset !== undefined ? <Switch preset={preset} /> : undefined}
    >
      <Shown of={policy}>{(shown) => <Policy {...shown} />}</Shown>
    </Card>
  )
}

function Policy({ preset, data, unregistered }: Output<typeof getSeverities>) {
  const words = gateText.gate
  const own = data.filter(
    ({ code, severity, default: usual }) =>
      severity !== usual && (code === 'unknown_event' || code === 'invalid_name'),
  )
  const { would_quarantine: would, quarantined, names } = unregistered
  return (
    <div className="stack tight">
      <p className="row">
        <Badge kind={preset === 'strict' ? 'quarantine' : 'accept'}>{words.presets[preset]}</Badge>
        <span>{words.means[preset]}</span>
      </p>
      {own.map(({ code, severity }) => (
        <p key={code} className="soft small">
          {words.ownSeverity(codeWords('issues', code), severity)}
        </p>
      ))}
      <p>{would + quarantined === 0 ? words.none(days) : words.would(formatCount(would), days)}</p>
      {quarantined > 0 && <p>{words.held(formatCount(quarantined), days)}</p>}
      {names.length > 0 && (
        <p className="soft small">
          {words.names}: {names.map(({ name, events }) => `${name} (${formatCount(events)})`).join(', ')}
        </p>
      )}
    </div>
  )
}

function Switch({ preset }: { preset: GatePreset }) {
  const words = gateText.gate
  const isStrict = preset === 'strict'
  const wanted: GatePreset = isStrict ? 'learning' : 'strict'
  const switching = useWrite('setSeverities', ['getSeverities'])
  const say = useNotice()
  const confirm = async () => {
    const done = await switching.send({ body: { preset: wanted } })
    if (done !== null) say(words.switched(words.presets[done.preset]))
    return done !== null
  }
  return (
    <Confirm
      act={isStrict ? words.toLearning : words.toStrict}
      title={isStrict ? words.learningTitle : words.strictTitle}
      onConfirm={confirm}
      error={switching.error}
      isSending={switching.isSending}
      isDanger={false}
    >
      <p>{isStrict ? words.learningMeans : words.strictMeans}</p>
    </Confirm>
  )
}

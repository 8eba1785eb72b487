import { type Output, outcomes } from '@assay/contract'
import type { RouteOf } from '../../api/routes.ts'
import { codeWords } from '../../code-words.ts'
import { formatCount } from '../../format.ts'
import { Facts } from '../../kit/card.tsx'
import { Issues, Verdict } from '../../kit/issues.tsx'
import { eventText } from '../../text/events.ts'

/** What the last days would have looked like under the draft. */
export function ReplayReport({ result }: { result: Output<RouteOf<'createContract'>> }) {
  const { compatibility, replay, version } = result
  const words = eventText.registry
  return (
    <div className="note stack tight" role="status">
      <strong>{words.trialOf(version)}</strong>
      <p>{compatibility.compatible ? words.compatible : words.breaks}</p>
      {compatibility.breaks.length > 0 && (
        <ul className="list">
          {compatibility.breaks.map(({ path, what }) => (
            <li key={`${path} ${what}`}>
              <code>{path}</code>: {what}
            </li>
          ))}
        </ul>
      )}
      {replay !== undefined && (
        <>
          <p>{words.replayed(formatCount(replay.events), formatCount(replay.found), replay.days)}</p>
          <div className="row">
            {outcomes.map((outcome) => (
              <span key={outcome}>
                <Verdict outcome={outcome} /> {formatCount(replay.outcomes[outcome])}
              </span>
            ))}
          </div>
          <Facts
            of={Object.entries(replay.codes).map(
              ([code, count]) => [codeWords('issues', code), formatCount(count)] as const,
            )}
          />
          {replay.samples[0] !== undefined && <Issues of={replay.samples[0].issues} />}
        </>
      )}
    </div>
  )
}

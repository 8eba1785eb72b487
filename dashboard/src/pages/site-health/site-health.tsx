import type { HealthComponent, Milestone, SiteHealth } from '@assay/contract'
import { Link } from 'wouter'
import { useRead } from '../../api/reads.ts'
import { formatCount, formatDay, formatShare } from '../../format.ts'
import { Badge, Card, Page, Progress } from '../../kit/card.tsx'
import { Empty, Shown } from '../../kit/states.tsx'
import { usePlace, useWay } from '../../shell/place.ts'
import { useSession } from '../../shell/session.ts'
import { text } from '../../text.ts'

/** One score for the site, what it is made of, what to do about it; and what has been reached. */
export default function SiteHealthPage() {
  const { siteId } = usePlace()
  const health = useRead('getSiteHealth', { query: { siteId } })
  const milestones = useRead('getMilestones', { query: { siteId } })
  const words = text.siteHealth
  return (
    <Page title={text.pages.siteHealth} lead={words.lead}>
      <Shown of={health} lines={8}>
        {(data) => <Health health={data} />}
      </Shown>
      <Card title={words.milestones}>
        <Shown
          of={milestones}
          empty={(data) => (data.milestones.length === 0 ? <Empty title={words.noMilestones} /> : null)}
        >
          {(data) => (
            <ol className="timeline">
              {data.milestones.map((milestone) => (
                <MilestoneLine key={milestone.id} milestone={milestone} />
              ))}
            </ol>
          )}
        </Shown>
      </Card>
    </Page>
  )
}

function Health({ health }: { health: SiteHealth }) {
  const words = text.siteHealth
  return (
    <div className="columns even">
      <Card title={words.total}>
        <div className="row">
          <span className="score">{health.score === null ? text.nothing : Math.round(health.score)}</span>
          <strong>{health.grade === null ? words.noScore : words.grade(health.grade)}</strong>
        </div>
        {health.completeness < 1 && (
          <p className="soft">{words.complete(formatShare(health.completeness))}</p>
        )}
      </Card>
      {health.components.map(({ key, weight, score, evidence, fix }) => (
        <Card key={key} title={words.components[key]} act={<Badge>{words.weight(weight)}</Badge>}>
          {score === null ? (
            <p className="soft">{words.noData}</p>
          ) : (
            <>
              <strong>{words.of100(Math.round(score))}</strong>
              <Progress label={words.components[key]} share={score / 100} />
            </>
          )}
          <p>{evidence}</p>
          {fix !== null && <Advice of={key} hasData={score !== null} fix={fix} />}
        </Card>
      ))}
    </div>
  )
}

/** Where each component can be fixed: the path of a page and its name. */
const pages: Readonly<Record<HealthComponent['key'], readonly [path: string, title: string] | null>> = {
  tracking_integrity: ['quarantine', text.pages.quarantine],
  freshness: ['live', text.pages.live],
  errors: ['errors', text.pages.errors],
  performance: null,
  conversion_stability: ['funnels', text.pages.funnels],
}

function Advice({ of, hasData, fix }: { of: HealthComponent['key']; hasData: boolean; fix: string }) {
  const way = useWay()
  const [path, title] = (hasData ? pages[of] : ['start', text.pages.start]) ?? []
  if (path === undefined || title === undefined) return <p className="note">{fix}</p>
  const link = <Link href={way.to(path)}>{title}</Link>
  const at = fix.indexOf(title)
  // If the advice names the page, its name becomes a link.
  return at === -1 ? (
    <p className="note">
      {fix} {link}
    </p>
  ) : (
    <p className="note">
      {fix.slice(0, at)}
      {link}
      {fix.slice(at + title.length)}
    </p>
  )
}

function MilestoneLine({ milestone }: { milestone: Milestone }) {
  const { site } = useSession()
  const { title, reachedAt, value, threshold, status, evidence } = milestone
  const words = text.siteHealth
  return (
    <li>
      <span className="soft small">
        {reachedAt === null
          ? words.progress(formatCount(value), formatCount(threshold))
          : formatDay(reachedAt, site.timezone)}
      </span>
      <div className="stack tight">
        <span className="row">
          <strong>{title}</strong>
          <Badge kind={status === 'reached' ? 'accept' : 'warn'}>{words.statuses[status]}</Badge>
        </span>
        <span className="soft small">{evidence}</span>
      </div>
    </li>
  )
}

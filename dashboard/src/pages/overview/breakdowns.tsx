import type { Overview } from '@assay/contract'
import { Tabs } from '@base-ui/react/tabs'
import { Suspense, useState } from 'react'
import { dimensionLabel } from '../../filters/terms.ts'
import { Button } from '../../kit/button.tsx'
import { Card } from '../../kit/card.tsx'
import { Loading, Shown } from '../../kit/states.tsx'
import { page } from '../../shell/load-page.ts'
import { usePlace, useWay } from '../../shell/place.ts'
import { text } from '../../text.ts'
import { Bars } from './breakdown-bars.tsx'
import { BreakdownDialog } from './breakdown-dialog.tsx'
import { useBreakdown, useTabs } from './breakdown-rows.ts'
import { breakdownCards, type CardName, sides, type Tab } from './breakdown-terms.ts'

const WorldMap = page(() => import('./world-map.tsx'))

/** Where the visitors come from, where they are and what they do; every row is a filter. */
export function Breakdowns({ data }: { data: Overview }) {
  return (
    <div className="breakdowns">
      {sides.map((side) => (
        <div key={side} className="stack">
          {breakdownCards
            .filter((card) => card.side === side)
            .map(({ name, tabs }) => (
              <BreakdownCard key={name} name={name} tabs={tabs} data={data} />
            ))}
        </div>
      ))}
    </div>
  )
}

type BreakdownCardProps = { name: CardName; tabs: readonly Tab[]; data: Overview }

function BreakdownCard({ name, tabs: every, data }: BreakdownCardProps) {
  const { parameters } = usePlace()
  const way = useWay()
  const tabs = useTabs(every)
  const chosen = tabs.find(({ dimension }) => dimension === parameters.get(name)) ?? tabs[0]
  if (chosen === undefined) return null
  const choose = (dimension: string) =>
    way.go(way.here({ [name]: dimension === tabs[0]?.dimension ? null : dimension }), { replace: true })
  return (
    <Card title={text.breakdowns[name]}>
      <Tabs.Root value={chosen.dimension} onValueChange={(value: string) => choose(value)}>
        <Tabs.List className="small-tabs" aria-label={text.breakdowns[name]}>
          {tabs.map(({ dimension }) => (
            <Tabs.Tab key={dimension} value={dimension}>
              {dimensionLabel(dimension)}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value={chosen.dimension} className="stack tight" tabIndex={-1}>
          {name === 'places' && chosen.dimension === 'country' && (
            <div className="map-place">
              <Suspense fallback={<Loading lines={6} />}>
                <WorldMap rows={data.breakdowns.countries} total={data.metrics.visitors} />
              </Suspense>
            </div>
          )}
          <Breakdown tab={chosen} data={data} />
        </Tabs.Panel>
      </Tabs.Root>
    </Card>
  )
}

function Breakdown({ tab, data }: { tab: Tab; data: Overview }) {
  const [isOpen, setOpen] = useState(false)
  const reading = useBreakdown(tab, data)
  return (
    <Shown of={reading} lines={8}>
      {({ rows, total, hasMore }) => (
        <>
          <Bars tab={tab} rows={rows} total={total} />
          {hasMore && (
            <div>
              <Button isCompact look="ghost" aria-haspopup="dialog" onClick={() => setOpen(true)}>
                {text.breakdowns.more}
              </Button>
            </div>
          )}
          <BreakdownDialog tab={tab} isOpen={isOpen} onClose={() => setOpen(false)} />
        </>
      )}
    </Shown>
  )
}

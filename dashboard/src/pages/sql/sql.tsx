import { sqlExamples } from '@assay/contract'
import { useRef, useState } from 'react'
import { useRead } from '../../api/reads.ts'
import { Card, Page } from '../../kit/card.tsx'
import { Failure, Loading } from '../../kit/states.tsx'
import { usePlace, useWay } from '../../shell/place.ts'
import { rangeQueryOf } from '../../shell/range.ts'
import { sqlText } from '../../text/sql.ts'
import { text } from '../../text.ts'
import { Editor } from './editor.tsx'
import { faultIn } from './fault.ts'
import { useRecentQueries } from './recent-queries.ts'
import { Result } from './result.tsx'
import { ExampleList, RecentList, TableList } from './side.tsx'
import '../../style/explore.css'
import '../../style/sql.css'

/** Longer addresses are refused on the way; such a query is run without one. */
const addressCharactersMax = 6_000

/** A SELECT of one's own. The query that was run is the address. */
export default function SqlPage() {
  const { siteId, parameters } = usePlace()
  const way = useWay()
  const area = useRef<HTMLTextAreaElement>(null)
  const written = parameters.get('q') ?? ''
  const [seen, setSeen] = useState(written)
  const [asked, setAsked] = useState(written)
  const [draft, setDraft] = useState(written === '' ? sqlExamples[0].query : written)
  const recent = useRecentQueries(siteId)
  if (seen !== written) {
    setSeen(written)
    setAsked(written)
    if (written !== '') setDraft(written)
  }
  const { from, to, window, timezone } = rangeQueryOf(siteId, parameters)
  const range = {
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
    ...(window !== undefined && { window }),
  }
  const body = { siteId, ...range, ...(timezone !== undefined && { timezone }), query: asked }
  const reading = useRead('runSql', { body }, { isOff: asked === '' })
  const run = (query = draft) => {
    if (query.trim() === '') return
    recent.add(query)
    const isShort = encodeURIComponent(query).length <= addressCharactersMax
    if (query === asked) void reading.refetch()
    else if (isShort) way.go(way.here({ q: query }))
    else setAsked(query)
  }
  const choose = (query: string) => {
    setDraft(query)
    run(query)
  }
  const insert = (column: string) => {
    const at = area.current?.selectionStart ?? draft.length
    setDraft(draft.slice(0, at) + column + draft.slice(area.current?.selectionEnd ?? at))
    area.current?.focus()
  }
  const fault = draft === asked ? faultIn(reading.error, asked) : null
  return (
    <Page title={text.pages.sql} lead={sqlText.sql.lead}>
      <div className="sql-page">
        <div className="stack">
          <Card>
            <Editor
              value={draft}
              onChange={setDraft}
              onRun={() => run()}
              isRunning={reading.isFetching}
              {...{ fault, area }}
            />
          </Card>
          {asked !== '' && <Answered reading={reading} isFaulty={faultIn(reading.error, asked) !== null} />}
        </div>
        <div className="stack">
          <TableList onInsert={insert} />
          <ExampleList onChoose={choose} />
          <RecentList queries={recent.queries} onChoose={choose} onClear={recent.clear} />
        </div>
      </div>
    </Page>
  )
}

type AnsweredProps = { reading: ReturnType<typeof useRead<'runSql'>>; isFaulty: boolean }

function Answered({ reading, isFaulty }: AnsweredProps) {
  const { data, error, refetch } = reading
  if (error !== null) {
    // What is wrong with the query is said below it.
    return isFaulty ? null : (
      <Card>
        <Failure error={error} onRetry={() => void refetch()} />
      </Card>
    )
  }
  if (data !== undefined) return <Result answer={data} />
  return (
    <Card>
      <Loading lines={6} />
    </Card>
  )
}

import type { ReportResult, Tile } from '@assay/contract'
import { ArrowUpRight } from 'lucide-react'
import { type ReactNode, useId } from 'react'
import { Link } from 'wouter'
import { isMissing } from '../../api/problem.ts'
import { useRead } from '../../api/reads.ts'
import { Empty, Failure, Loading } from '../../kit/states.tsx'
import { reportHref } from '../../reports/report-link.ts'
import { useWay } from '../../shell/place.ts'
import { text } from '../../text.ts'
import { TileBody } from './tile-body.tsx'
import type { TileQuery } from './tile-parameters.ts'

/** Of one row of the grid, and between two; as in boards.css. */
export const rowPixels = 60
export const gapPixels = 16
/** The head of a tile, its padding, and what stands above a chart. */
const aroundChart = 112
const chartMin = 120

type TileFrameProps = {
  boardId: string
  tile: Tile
  query: TileQuery
  /** Left and right of the title, while the board is edited. */
  handle?: ReactNode
  menu?: ReactNode
  corner?: ReactNode
  /** Where it is shown on a small screen, if not where it stands in the document. */
  order?: number
}

/** A tile with its own state: one that is slow or fails leaves the others alone. */
export function TileFrame({ boardId, tile, query, handle, menu, corner, order }: TileFrameProps) {
  const id = useId()
  const title = useTileTitle(tile)
  const reading = useRead(
    'getTileResult',
    { params: { id: boardId, tile: tile.id }, query },
    { isOff: tile.type === 'text' },
  )
  const place = {
    gridColumn: `${tile.x + 1} / span ${tile.width}`,
    gridRow: `${tile.y + 1} / span ${tile.height}`,
    ...(order !== undefined && { order }),
  }
  const isOld = reading.isFetching && reading.isStale
  const answer = isOld ? undefined : reading.data
  return (
    <section className="tile" style={place} aria-labelledby={id} data-tile={tile.id}>
      <div className="tile-head">
        {handle}
        <h2 id={id}>{title}</h2>
        {answer !== undefined && menu === undefined && <OpenLink title={title} answer={answer} />}
        {menu}
      </div>
      {/* biome-ignore lint/a11y/useSemanticElements: a group that scrolls; a fieldset would be for a form */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what is higher than its tile is scrolled by keys too */}
      <div className="tile-body" role="group" aria-labelledby={id} tabIndex={0}>
        {tile.type === 'text' ? (
          <p className="wrap">{tile.text}</p>
        ) : answer !== undefined ? (
          <TileBody title={title} answer={answer} height={chartHeight(tile.height)} />
        ) : reading.error === null || isOld ? (
          <Loading lines={Math.min(8, tile.height)} />
        ) : tile.type === 'report' && isMissing(reading.error) ? (
          <Empty title={text.boards.gone}>{text.boards.goneDetail}</Empty>
        ) : (
          <Failure error={reading.error} onRetry={() => void reading.refetch()} />
        )}
      </div>
      {corner}
    </section>
  )
}

const chartHeight = (rows: number) =>
  Math.max(chartMin, rows * (rowPixels + gapPixels) - gapPixels - aroundChart)

/** As the tile says, or the name of its report, or the kind of its question. */
export function useTileTitle(tile: Tile): string {
  const reportId = tile.type === 'report' ? tile.reportId : ''
  const isTitled = tile.title !== undefined && tile.title !== ''
  const report = useRead('getReport', { params: { id: reportId } }, { isOff: isTitled || reportId === '' })
  if (isTitled) return tile.title ?? ''
  if (tile.type === 'report') return report.data?.name ?? text.boards.untitled
  return tile.type === 'question' ? text.savedReports.kinds[tile.kind] : text.boards.text
}

/** To the page of its kind, with everything that was asked. */
function OpenLink({ title, answer: { kind, question, view } }: { title: string; answer: ReportResult }) {
  const way = useWay()
  return (
    <Link
      className="tile-open"
      href={reportHref({ id: '', kind, question, view }, way)}
      aria-label={text.boards.openTile(title)}
      title={text.boards.open}
    >
      <ArrowUpRight className="icon" aria-hidden="true" />
    </Link>
  )
}

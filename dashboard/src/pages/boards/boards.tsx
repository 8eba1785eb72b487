import { type Board, boardLimits } from '@assay/contract'
import { Link } from 'wouter'
import { useRead, useWrite } from '../../api/reads.ts'
import { now } from '../../clock.ts'
import { formatAgo } from '../../format.ts'
import { Badge, Page } from '../../kit/card.tsx'
import { Empty, Shown } from '../../kit/states.tsx'
import { ListSearch, useListSearch } from '../../reports/list-search.tsx'
import { type Named, NamedButton } from '../../reports/named-button.tsx'
import type { PageProps } from '../../shell/page-props.ts'
import { usePlace, useWay } from '../../shell/place.ts'
import { useMay } from '../../shell/session.ts'
import { text } from '../../text.ts'
import { BoardPage } from './board-page.tsx'
import '../../style/boards.css'
import '../../style/explore.css'

/** The boards of the site, or one of them. */
export default function BoardsPage({ rest }: PageProps) {
  return rest === '' ? <BoardList /> : <BoardPage id={rest} />
}

function BoardList() {
  const { siteId } = usePlace()
  const words = text.boards
  const boards = useRead('listBoards', { query: { siteId, limit: boardLimits.boardsMax } })
  const search = useListSearch()
  const mayWrite = useMay('analytics:write')
  return (
    <Page title={text.pages.boards} lead={words.lead} acts={mayWrite && <NewBoard />}>
      <ListSearch label={words.search} />
      <Shown of={boards} lines={8}>
        {({ ready, data }) => (
          <Found
            own={data.filter((board) => fits(board, search))}
            ready={ready.filter((board) => fits(board, search))}
            isSearched={search.trim() !== ''}
          />
        )}
      </Shown>
    </Page>
  )
}

function fits({ name, description }: Board, search: string): boolean {
  const sought = search.trim().toLowerCase()
  return name.toLowerCase().includes(sought) || description.toLowerCase().includes(sought)
}

type FoundProps = { own: readonly Board[]; ready: readonly Board[]; isSearched: boolean }

function Found({ own, ready, isSearched }: FoundProps) {
  const words = text.boards
  if (isSearched && own.length + ready.length === 0) return <Empty title={words.noMatch} />
  const ofTeam = (own.length > 0 || !isSearched) && (
    <section className="stack tight" aria-label={words.own}>
      <h2>{words.own}</h2>
      {own.length === 0 ? <Empty title={words.none}>{words.noneDetail}</Empty> : <BoardCards boards={own} />}
    </section>
  )
  return (
    <>
      {own.length > 0 && ofTeam}
      {ready.length > 0 && (
        <section className="stack tight" aria-label={words.ready}>
          <h2>{words.ready}</h2>
          <BoardCards boards={ready} />
        </section>
      )}
      {own.length === 0 && ofTeam}
    </>
  )
}

function BoardCards({ boards }: { boards: readonly Board[] }) {
  const way = useWay()
  const words = text.boards
  return (
    <ul className="board-cards">
      {boards.map(({ id, name, description, tiles, updatedAt, isReady }) => (
        <li key={id}>
          <Link href={way.to(`boards/${id}`)} className="board-card">
            <strong>{name || words.unnamed}</strong>
            {description !== '' && <span className="soft clamp">{description}</span>}
            <span className="soft small row">
              {isReady && <Badge>{words.readyBadge}</Badge>}
              {words.tiles(tiles.length)}
              {updatedAt !== null && ` · ${words.updated(formatAgo(updatedAt, now()))}`}
            </span>
          </Link>
        </li>
      ))}
    </ul>
  )
}

function NewBoard() {
  const { siteId } = usePlace()
  const way = useWay()
  const create = useWrite('createBoard', ['listBoards'])
  const words = text.boards
  const save = async (named: Named) => {
    const made = await create.send({ body: { siteId, ...named } })
    if (made === null) return false
    way.go(way.to(`boards/${made.id}`, { edit: '1' }))
    return true
  }
  return <NamedButton look="primary" act={words.new} title={words.new} writing={create} onSave={save} />
}

import { type Board, boardLimits, type Digest, digestLimits } from '@assay/contract'
import { useState } from 'react'
import { useRead, useWrite } from '../../api/reads.ts'
import { formatMinute } from '../../format.ts'
import { Button } from '../../kit/button.tsx'
import { Badge, Card, Page } from '../../kit/card.tsx'
import { Confirm } from '../../kit/confirm.tsx'
import { Dialog } from '../../kit/dialog.tsx'
import { useNotice } from '../../kit/notice.tsx'
import { Empty, Shown } from '../../kit/states.tsx'
import { Table } from '../../kit/table.tsx'
import { usePlace } from '../../shell/place.ts'
import { useMay, useSession } from '../../shell/session.ts'
import { text } from '../../text.ts'
import { DigestForm } from './digest-form.tsx'
import { TestDigest } from './test-digest.tsx'
import { whenWords } from './when-words.ts'
import '../../style/boards.css'

/** The mails of the site: what they say, when they are sent, and to whom. */
export default function DigestsPage() {
  const { siteId } = usePlace()
  const words = text.digests
  const mayWrite = useMay('analytics:write')
  const digests = useRead('listDigests', { query: { siteId, limit: digestLimits.digestsMax } })
  const boards = useRead('listBoards', { query: { siteId, limit: boardLimits.boardsMax } })
  const all = [...(boards.data?.data ?? []), ...(boards.data?.ready ?? [])]
  const isReady = boards.data !== undefined
  return (
    <Page
      title={text.pages.digests}
      lead={words.lead}
      acts={mayWrite && isReady && <DigestDialog digest={null} name="" boards={all} />}
    >
      <Card>
        <Shown
          of={digests}
          empty={({ data }) =>
            data.length === 0 ? <Empty title={words.none}>{words.noneDetail}</Empty> : null
          }
        >
          {({ data }) => <DigestTable digests={data} boards={all} mayWrite={mayWrite && isReady} />}
        </Shown>
      </Card>
    </Page>
  )
}

function contentOf({ type, targetId }: Digest, boards: readonly Board[]): string {
  if (type === 'overview') return text.digests.overview
  if (boards.length === 0) return text.states.loading
  return boards.find(({ id }) => id === targetId)?.name ?? text.digests.deletedBoard
}

type DigestTableProps = { digests: readonly Digest[]; boards: readonly Board[]; mayWrite: boolean }

function DigestTable({ digests, boards, mayWrite }: DigestTableProps) {
  const { site } = useSession()
  const words = text.digests
  const nameOf = (digest: Digest) => contentOf(digest, boards)
  return (
    <Table
      caption={text.pages.digests}
      rows={digests}
      keyOf={({ id }) => id}
      columns={[
        {
          title: words.what,
          sortBy: nameOf,
          cell: (digest) => (
            <>
              {nameOf(digest)} {digest.isPaused && <Badge kind="warn">{words.paused}</Badge>}
              {digest.lastError !== null && <p className="fault small">{digest.lastError}</p>}
            </>
          ),
        },
        {
          title: words.when,
          cell: (digest) => (
            <>
              {whenWords(digest)}
              {digest.nextAt !== null && (
                <p className="soft small">
                  {words.next}: {formatMinute(digest.nextAt, site.timezone)}
                </p>
              )}
            </>
          ),
        },
        { title: words.recipients, cell: (digest) => <Recipients of={digest} /> },
        {
          title: text.acts.act,
          kind: 'act',
          cell: (digest) => mayWrite && <DigestActs digest={digest} name={nameOf(digest)} boards={boards} />,
        },
      ]}
    />
  )
}

function Recipients({ of: { recipients } }: { of: Digest }) {
  const { site } = useSession()
  const words = text.digests
  return (
    <ul className="plain-list">
      {recipients.map(({ email, state, lastSentAt, lastError }) => (
        <li key={email}>
          <span className="break">{email}</span>{' '}
          {state === 'unsubscribed' && <Badge kind="warn">{words.states[state]}</Badge>}
          {lastSentAt !== null && (
            <span className="soft small"> {words.received(formatMinute(lastSentAt, site.timezone))}</span>
          )}
          {lastError !== null && <p className="fault small">{lastError}</p>}
        </li>
      ))}
    </ul>
  )
}

type DigestActsProps = { digest: Digest; name: string; boards: readonly Board[] }

function DigestActs({ digest, name, boards }: DigestActsProps) {
  const words = text.digests
  const update = useWrite('updateDigest', ['listDigests'])
  const pauseWords = digest.isPaused ? words.resumeOf(name) : words.pauseOf(name)
  return (
    <div className="row end">
      <TestDigest digest={digest} name={name} />
      <Button
        isCompact
        disabled={update.isSending}
        aria-label={pauseWords}
        onClick={() => void update.send({ params: { id: digest.id }, body: { isPaused: !digest.isPaused } })}
      >
        {digest.isPaused ? words.resume : words.pause}
      </Button>
      <DigestDialog digest={digest} name={name} boards={boards} />
      <DeleteDigest digest={digest} name={name} />
    </div>
  )
}

function DigestDialog({ digest, name, boards }: Omit<DigestActsProps, 'digest'> & { digest: Digest | null }) {
  const [isOpen, setOpen] = useState(false)
  const words = text.digests
  const title = digest === null ? words.new : words.editOf(name)
  return (
    <>
      <Button
        look={digest === null ? 'primary' : 'usual'}
        isCompact={digest !== null}
        aria-label={title}
        aria-haspopup="dialog"
        onClick={() => setOpen(true)}
      >
        {digest === null ? words.new : words.edit}
      </Button>
      <Dialog title={title} isOpen={isOpen} onClose={() => setOpen(false)}>
        {isOpen && <DigestForm digest={digest} boards={boards} onClose={() => setOpen(false)} />}
      </Dialog>
    </>
  )
}

function DeleteDigest({ digest, name }: { digest: Digest; name: string }) {
  const remove = useWrite('deleteDigest', ['listDigests'])
  const say = useNotice()
  const words = text.digests
  const confirm = async () => {
    const isGone = (await remove.send({ params: { id: digest.id } })) !== null
    if (isGone) say(words.deleted)
    return isGone
  }
  return (
    <Confirm
      act={words.delete}
      label={words.deleteOf(name)}
      title={words.deleteTitle(name)}
      error={remove.error}
      isSending={remove.isSending}
      onConfirm={confirm}
    >
      <p>{words.deleteDetail}</p>
    </Confirm>
  )
}

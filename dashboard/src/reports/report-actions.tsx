import type { Report, ReportKind, ReportView } from '@assay/contract'
import { useWrite } from '../api/reads.ts'
import { Button } from '../kit/button.tsx'
import { useNotice } from '../kit/notice.tsx'
import { viewFor } from '../pages/explore/question.ts'
import { ShareButton } from '../shares/share-button.tsx'
import { usePlace, useWay } from '../shell/place.ts'
import { useMay } from '../shell/session.ts'
import { text } from '../text.ts'
import { AddToBoard } from './add-to-board.tsx'
import { type Named, NamedButton } from './named-button.tsx'
import { isSameQuestion } from './open-report.ts'
import { DeleteReport, RenameReport } from './report-changes.tsx'

type ReportActionsProps = {
  kind: ReportKind
  /** What the page asks now, as a report stores it: without the site, with filters as a list. */
  question: Readonly<Record<string, unknown>>
  /** How a query shows its answer. */
  view?: ReportView
  /** The saved report that is open, if one is. */
  report: Report | undefined
}

/** Saves the question of a page as a report, changes the open one, and puts it on a board. */
export function ReportActions({ kind, question, view, report }: ReportActionsProps) {
  const mayWrite = useMay('analytics:write')
  const way = useWay()
  if (!mayWrite) return null
  const isSaved =
    report !== undefined && isSameQuestion(report.question, question) && isSameView(report, view)
  return (
    <>
      {report !== undefined && !isSaved && <SaveChanges {...{ report, question, view }} />}
      {report !== undefined && (
        <>
          <RenameReport report={report} />
          <DeleteReport report={report} onDone={() => way.go(way.here({ report: null }))} />
        </>
      )}
      {!isSaved && <SaveReport {...{ kind, question, view }} isCopy={report !== undefined} />}
      {isSaved && kind !== 'errors' && <ShareButton type="report" targetId={report.id} name={report.name} />}
      <AddToBoard
        kind={kind}
        question={question}
        view={view}
        reportId={isSaved ? report.id : null}
        title={report?.name}
      />
    </>
  )
}

/** A report that was saved without a view is shown as its dimensions suggest. */
const isSameView = ({ question, view: saved }: Report, view: ReportView | undefined) =>
  view === undefined || viewFor(question, saved) === view

type SaveChangesProps = {
  report: Report
  question: ReportActionsProps['question']
  view: ReportView | undefined
}

function SaveChanges({ report, question, view }: SaveChangesProps) {
  const update = useWrite('updateReport', ['getReport', 'listReports'])
  const say = useNotice()
  const save = async () => {
    const saved = await update.send({ params: { id: report.id }, body: { question, view: view ?? null } })
    say(saved === null ? (update.error?.message ?? text.savedReports.notSaved) : text.savedReports.saved)
  }
  return (
    <Button look="primary" disabled={update.isSending} onClick={() => void save()}>
      {text.savedReports.saveChanges}
    </Button>
  )
}

type SaveReportProps = Pick<ReportActionsProps, 'kind' | 'question'> & {
  view: ReportView | undefined
  isCopy: boolean
}

function SaveReport({ kind, question, view, isCopy }: SaveReportProps) {
  const { siteId } = usePlace()
  const way = useWay()
  const say = useNotice()
  const create = useWrite('createReport', ['listReports'])
  const words = text.savedReports
  const save = async (named: Named) => {
    const saved = await create.send({ body: { siteId, kind, question, view: view ?? null, ...named } })
    if (saved === null) return false
    say(words.saved)
    way.go(way.here({ report: saved.id }), { replace: true })
    return true
  }
  const act = isCopy ? words.saveCopy : words.saveAs
  return <NamedButton act={act} title={words.saveAs} writing={create} onSave={save} />
}

import { type AttributionJob, Problem } from '@assay/contract'
import { createWakeUp } from '../../platform/wake-up.ts'
import type { Context } from '../context.ts'
import { readPolicy } from '../policy.ts'
import { computeRange, type Progress } from './computation.ts'
import type { DayRange } from './days.ts'
import {
  claimJob,
  endJob,
  insertJob,
  type JobRow,
  renewJob,
  saveJobProgress,
  selectJob,
} from './job-store.ts'

export type Jobs = {
  start: (workspaceId: string, range: DayRange) => Promise<AttributionJob>
  get: (workspaceId: string, id: string) => Promise<AttributionJob>
  /** Runs waiting jobs, also those abandoned by another node. */
  tend: () => Promise<void>
  /** Hears of jobs that other nodes were asked for. */
  listen: () => Promise<void>
  close: () => Promise<void>
}

/** Enough for four renewals; a process that is silent for this long is gone. */
const leaseMs = 60_000
const renewMs = 15_000
const triesMax = 3

/** The process is ending, or another worker has the job. */
class LetGo extends Error {
  override name = 'LetGo'
}

export function createJobs(context: Context): Jobs {
  let isClosing = false
  let working: Promise<void> | null = null
  let isWanted = false

  async function workAll(): Promise<void> {
    while (!isClosing) {
      isWanted = false
      const nowMs = context.now()
      const job = await claimJob(context.control, context.nodeId, new Date(nowMs), new Date(nowMs + leaseMs))
      if (job === null) return
      await work(context, job, () => isClosing)
    }
  }
  function wake(): void {
    isWanted = true
    if (isClosing || working !== null) return
    working = workAll()
      .catch((error) => context.failures.report('attribution', error))
      .finally(() => {
        working = null
        if (isWanted) wake()
      })
  }
  const wakeUp = createWakeUp(context, 'assay_attribution', wake)
  return {
    listen: wakeUp.listen,
    async start(workspaceId, range) {
      const id = context.newId('job')
      const created_at = new Date(context.now())
      await insertJob(context.control, {
        id,
        workspace_id: workspaceId,
        from_day: range.from,
        to_day: range.to,
        created_at,
      })
      wakeUp.ask()
      return read(context, workspaceId, id)
    },
    get: (workspaceId, id) => read(context, workspaceId, id),
    async tend() {
      wake()
      await working
    },
    async close() {
      isClosing = true
      await working
    },
  }
}

async function work(context: Context, job: JobRow, isClosing: () => boolean): Promise<void> {
  const { control, nodeId, now, failures } = context
  const leaseUntil = () => new Date(now() + leaseMs)
  const renewing = setInterval(
    () => void renewJob(control, job.id, nodeId, leaseUntil()).catch(() => {}),
    renewMs,
  )
  try {
    const policy = await readPolicy(control, job.workspace_id)
    const save = async (done: Progress) => {
      const saved = { ...done, progress: done.share, policyVersion: policy.version }
      return saveJobProgress(control, job.id, nodeId, saved, leaseUntil())
    }
    await context.flush()
    const range = { from: job.from_day, to: job.to_day }
    const done = await context.alone(job.workspace_id, () =>
      computeRange(context, job.workspace_id, policy, range, async (progress) => {
        if (!(await save(progress)) || isClosing()) throw new LetGo()
      }),
    )
    await save(done)
    await endDone(context, job, done, policy.version)
  } catch (error) {
    const isOver = !(error instanceof LetGo) && job.tries >= triesMax
    if (!(error instanceof LetGo)) failures.report('attribution', error, { job: job.id })
    const detail = isOver ? 'It could not be done; the log of the product says why.' : null
    await endJob(
      control,
      job.id,
      nodeId,
      isOver ? 'failed' : 'queued',
      detail,
      isOver ? new Date(now()) : null,
    )
  } finally {
    clearInterval(renewing)
  }
}

/** The notice is sent in the transaction that ends the job, so exactly once. */
async function endDone(
  { control, nodeId, now, sendNotice }: Context,
  { id, workspace_id: workspaceId, from_day: from, to_day: to }: JobRow,
  done: Progress,
  policyVersion: number,
): Promise<void> {
  await control.transaction(async (sql) => {
    if (!(await endJob(sql, id, nodeId, 'done', null, new Date(now())))) return
    const data = {
      job_id: id,
      from,
      to,
      policy_version: policyVersion,
      days_computed: done.daysComputed,
      days_unchanged: done.daysUnchanged,
      outcomes: done.outcomes,
    }
    await sendNotice(workspaceId, { type: 'attribution.computed', subject: id, data }, sql)
  })
}

async function read({ control }: Context, workspaceId: string, id: string): Promise<AttributionJob> {
  // Postgres refuses a text with this character instead of not finding it.
  const row = id.includes('\0') ? null : await selectJob(control, workspaceId, id)
  if (row === null) throw new Problem('not-found', { detail: 'There is no such job.' })
  return {
    id: row.id,
    status: row.status,
    progress: row.status === 'done' ? 1 : row.progress,
    from: row.from_day,
    to: row.to_day,
    policy_version: row.policy_version,
    days_computed: row.days_computed,
    days_unchanged: row.days_unchanged,
    outcomes: row.outcomes,
    detail: row.detail,
    created_at: row.created_at.toISOString(),
    finished_at: row.finished_at?.toISOString() ?? null,
  }
}

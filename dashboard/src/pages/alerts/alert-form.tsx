import { type Alert, alertLimits } from '@assay/contract'
import { useDeferredValue, useState } from 'react'
import { useRead, useWrite } from '../../api/reads.ts'
import { FilterList } from '../../filters/filter-bar.tsx'
import { Button } from '../../kit/button.tsx'
import { Card } from '../../kit/card.tsx'
import { EmailsField, emailsFault } from '../../kit/emails-field.tsx'
import { Check, SelectField, TextField } from '../../kit/field.tsx'
import { Form } from '../../kit/form.tsx'
import { useNotice } from '../../kit/notice.tsx'
import { Picker } from '../../kit/picker.tsx'
import { ProblemNote } from '../../kit/states.tsx'
import { usePlace, useWay } from '../../shell/place.ts'
import { useSession } from '../../shell/session.ts'
import { text } from '../../text.ts'
import { MetricRow } from '../explore/metric-row.tsx'
import { type AlertDraft, draftOf, judgedOf, newDraft } from './alert-draft.ts'
import { PreviewCard } from './alert-preview.tsx'
import { ConditionFields } from './condition-fields.tsx'
import '../../style/explore.css'

type AlertFormProps = { alert: Alert | null; onSaved: () => void }

/** A new alert, or one that is changed, with what it would have done. */
export function AlertForm({ alert, onSaved }: AlertFormProps) {
  const { siteId } = usePlace()
  const way = useWay()
  const say = useNotice()
  const words = text.alerts
  const [draft, setDraft] = useState(() => (alert === null ? newDraft : draftOf(alert)))
  const create = useWrite('createAlert', ['listAlerts'])
  const update = useWrite('updateAlert', ['listAlerts', 'getAlert', 'getAlertPreview', 'listFirings'])
  const judged = judgedOf(draft)
  const save = async () => {
    if (judged === null || emailsFault(draft.recipients) !== null) return
    const told = { name: draft.name, ...judged, ...channelsOf(draft) }
    const saved =
      alert === null
        ? await create.send({ body: { siteId, ...told } })
        : await update.send({ params: { id: alert.id }, body: told })
    if (saved === null) return
    say(alert === null ? words.created : words.saved)
    if (alert === null) way.go(way.to(`alerts/${saved.id}`))
    else onSaved()
  }
  return (
    <Form className="stack" onSubmit={save}>
      <Card title={words.watched}>
        <div className="form-row">
          <TextField
            label={words.name}
            name="name"
            value={draft.name}
            isRequired
            fault={
              draft.name.length > alertLimits.nameCharactersMax
                ? text.form.atMost(alertLimits.nameCharactersMax)
                : null
            }
            onChange={(name) => setDraft({ ...draft, name })}
          />
          <SelectField
            label={words.source}
            value={draft.source}
            choices={(['metric', 'report'] as const).map((value) => ({ value, label: words.sources[value] }))}
            onChange={(source) => setDraft({ ...draft, source })}
          />
        </div>
        <WatchedFields draft={draft} onChange={setDraft} />
        <ConditionFields draft={draft} onChange={setDraft} />
      </Card>
      <Preview draft={draft} />
      <ChannelFields draft={draft} onChange={setDraft} stored={alert?.slackUrl ?? null} />
      <ProblemNote error={alert === null ? create.error : update.error} />
      <div className="row end">
        {alert !== null && <Button onClick={onSaved}>{text.acts.cancel}</Button>}
        <Button
          type="submit"
          look="primary"
          disabled={judged === null || create.isSending || update.isSending}
        >
          {alert === null ? words.create : text.acts.save}
        </Button>
      </div>
    </Form>
  )
}

function channelsOf({ recipients, slackUrl, isSlackRemoved, notice }: AlertDraft) {
  const written = slackUrl.trim()
  return {
    recipients: [...recipients],
    notice,
    ...(written !== '' && { slackUrl: written }),
    ...(written === '' && isSlackRemoved && { slackUrl: null }),
  }
}

/** Asked again with every change; while a number is typed the last one is enough. */
function Preview({ draft }: { draft: AlertDraft }) {
  const { siteId } = usePlace()
  const judged = useDeferredValue(judgedOf(draft))
  const reading = useRead(
    'previewAlert',
    { body: { siteId, ...(judged ?? { interval: draft.interval, condition: noCondition }) } },
    { isOff: judged === null },
  )
  return <PreviewCard reading={judged === null ? null : reading} />
}

const noCondition = { type: 'unusual', sensitivity: 'medium' } as const

type FieldsProps = { draft: AlertDraft; onChange: (draft: AlertDraft) => void }

const reportsMax = 200

function WatchedFields({ draft, onChange }: FieldsProps) {
  const { siteId } = usePlace()
  const words = text.alerts
  const reports = useRead('listReports', { query: { siteId, kind: 'query', limit: reportsMax } })
  return draft.source === 'report' ? (
    <Picker
      label={words.report}
      value={draft.reportId}
      isRequired
      isLoading={reports.isFetching}
      placeholder={words.chooseReport}
      groups={[
        {
          label: '',
          items: (reports.data?.data ?? []).map(({ id, name }) => ({
            value: id,
            label: name || text.savedReports.unnamed,
          })),
        },
      ]}
      onChange={(reportId) => onChange({ ...draft, reportId, reportMetric: null })}
    />
  ) : (
    <>
      <MetricRow
        draft={draft.metric}
        place={1}
        fault={null}
        isAlone
        onChange={(metric) => onChange({ ...draft, metric })}
        onRemove={null}
      />
      <FilterList
        label={words.filters}
        placed={draft.filters.map((filter) => ({ filter, plain: null }))}
        onChange={(placed) => onChange({ ...draft, filters: placed.map(({ filter }) => filter) })}
      />
    </>
  )
}

function ChannelFields({ draft, onChange, stored }: FieldsProps & { stored: string | null }) {
  const { me } = useSession()
  const words = text.alerts
  const change = (next: Partial<AlertDraft>) => onChange({ ...draft, ...next })
  const isStored = stored !== null && !draft.isSlackRemoved
  const isSilent = draft.recipients.length === 0 && draft.slackUrl === '' && !isStored && !draft.notice
  return (
    <Card title={words.channels}>
      {isSilent && <p className="soft">{words.silent}</p>}
      <EmailsField
        label={words.recipients}
        hint={words.recipientsHint}
        values={draft.recipients}
        offered={[me.user.email]}
        max={alertLimits.recipientsMax}
        fault={emailsFault(draft.recipients)}
        onChange={(recipients) => change({ recipients })}
      />
      <TextField
        label={words.slack}
        name="slackUrl"
        value={draft.slackUrl}
        hint={isStored ? words.slackStored(stored) : words.slackHint}
        fault={slackFault(draft.slackUrl)}
        onChange={(slackUrl) => change({ slackUrl })}
      />
      {stored !== null && draft.slackUrl === '' && (
        <Check
          label={words.slackRemove}
          isOn={draft.isSlackRemoved}
          onChange={(isSlackRemoved) => change({ isSlackRemoved })}
        />
      )}
      <Check label={words.notice} isOn={draft.notice} onChange={(notice) => change({ notice })} />
    </Card>
  )
}

const slackFault = (url: string) =>
  url.trim() !== '' && !/^https?:\/\/\S+$/.test(url.trim()) ? text.form.url : null

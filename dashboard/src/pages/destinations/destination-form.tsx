import { type Destination, noticeTypes } from '@assay/contract'
import { useWrite } from '../../api/reads.ts'
import { Button } from '../../kit/button.tsx'
import { Check, SelectField, TextField } from '../../kit/field.tsx'
import { Form } from '../../kit/form.tsx'
import { useNotice } from '../../kit/notice.tsx'
import { ProblemNote } from '../../kit/states.tsx'
import { useStoredState } from '../../kit/stored-state.ts'
import { useSession } from '../../shell/session.ts'
import { peopleText } from '../../text/people.ts'
import { text } from '../../text.ts'

const offered = ['ad_storage', 'ad_user_data', 'analytics_storage'] as const
type Purpose = Destination['purposes'][number]
type Notice = Destination['notices'][number]

type FormProps = {
  /** The one that is changed; a new one without it. */
  destination?: Destination
  onMade?: (made: { name: string; secret: string }) => void
}

/** An address and what goes there. */
export function DestinationForm({ destination, onMade }: FormProps) {
  const fields = useFields(destination)
  const creating = useWrite('createDestination', ['listDestinations'])
  const changing = useWrite('updateDestination', ['listDestinations', 'getDestination'])
  const say = useNotice()
  const submit = async () => {
    if (destination === undefined) {
      const made = await creating.send({ body: fields.body })
      if (made === null) return
      fields.forget()
      onMade?.({ name: made.name, secret: made.secret })
      return
    }
    const changed = await changing.send({ params: { id: destination.id }, body: fields.body })
    if (changed === null) return
    fields.forget()
    say(text.destinations.changed)
  }
  const isSending = creating.isSending || changing.isSending
  return (
    <Form onSubmit={submit}>
      {fields.inputs}
      <ProblemNote error={creating.error ?? changing.error} />
      <div>
        <Button type="submit" look="primary" disabled={isSending}>
          {destination === undefined ? text.destinations.add : text.acts.save}
        </Button>
      </div>
    </Form>
  )
}

const typedOf = (destination: Destination | undefined) => ({
  name: destination?.name ?? '',
  url: destination?.url ?? '',
  siteId: destination?.site_id ?? 'all',
  events: (destination?.events ?? ['*']).join(', '),
  purposes: noneOr<Purpose>(destination?.purposes),
  notices: noneOr<Notice>(destination?.notices),
})

const noneOr = <Value,>(values: readonly Value[] | undefined): readonly Value[] => values ?? []

const bodyOf = ({ name, url, siteId, events, purposes, notices }: ReturnType<typeof typedOf>) => ({
  name,
  url: url.trim(),
  site_id: siteId === 'all' ? null : siteId,
  events: events
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== ''),
  purposes: [...purposes],
  notices: [...notices],
})

function useFields(destination: Destination | undefined) {
  const { sites } = useSession()
  const [typed, setTyped, forget] = useStoredState('destination', () => typedOf(destination))
  const { name, url, siteId, events, purposes, notices } = typed
  const set = (change: Partial<typeof typed>) => setTyped({ ...typed, ...change })
  const words = text.destinations
  const inputs = (
    <>
      <div className="form-row">
        <TextField
          label={words.name}
          name="name"
          value={name}
          onChange={(value) => set({ name: value })}
          isRequired
        />
        <TextField
          label={words.url}
          hint={words.urlHint}
          name="url"
          value={url}
          onChange={(value) => set({ url: value })}
          isRequired
          isMono
        />
      </div>
      <div className="form-row">
        <SelectField
          label={words.site}
          value={siteId}
          choices={[
            { value: 'all', label: words.everySite },
            ...sites.map((site) => ({ value: site.id, label: site.name })),
          ]}
          onChange={(value) => set({ siteId: value })}
        />
        <TextField
          label={words.events}
          hint={words.eventsHint}
          name="events"
          value={events}
          onChange={(value) => set({ events: value })}
        />
      </div>
      <Choices
        label={words.notices}
        all={noticeTypes}
        names={words.noticeTypes}
        chosen={notices}
        onChange={(chosen) => set({ notices: chosen })}
      />
      <Choices
        label={words.purposes}
        all={offered}
        names={peopleText.consent.categories}
        chosen={purposes}
        onChange={(chosen) => set({ purposes: chosen })}
      />
    </>
  )
  return { inputs, body: bodyOf(typed), forget }
}

type ChoicesProps<Value extends string> = {
  label: string
  all: readonly Value[]
  names: Readonly<Record<Value, string>>
  chosen: readonly Value[]
  onChange: (chosen: readonly Value[]) => void
}

function Choices<Value extends string>({ label, all, names, chosen, onChange }: ChoicesProps<Value>) {
  return (
    <fieldset className="plain-set">
      <legend className="label">{label}</legend>
      <div className="row">
        {all.map((one) => (
          <Check
            key={one}
            label={names[one]}
            isOn={chosen.includes(one)}
            onChange={(isOn) => onChange(isOn ? [...chosen, one] : chosen.filter((other) => other !== one))}
          />
        ))}
      </div>
    </fieldset>
  )
}

import { type Filter, type Share, shareLimits, shareThemes } from '@assay/contract'
import { useState } from 'react'
import { useWrite } from '../api/reads.ts'
import { now } from '../clock.ts'
import { FilterList } from '../filters/filter-bar.tsx'
import { withFilters } from '../filters/saved-filters.ts'
import { Button } from '../kit/button.tsx'
import { AreaField, SelectField, TextField } from '../kit/field.tsx'
import { Form } from '../kit/form.tsx'
import { ProblemNote } from '../kit/states.tsx'
import { usePlace } from '../shell/place.ts'
import { windows } from '../shell/range.ts'
import { useSession } from '../shell/session.ts'
import { text } from '../text.ts'
import { zonedMs } from '../zoned-time.ts'
import type { NewLink } from './created-link.tsx'
import type { ShareTarget } from './share-target.ts'

type Fields = {
  password: string
  /** As the browser's field has it, in the time zone of the site. */
  expires: string
  window: string
  filters: readonly Filter[]
  theme: Share['theme']
  origins: string
}

const unrestricted: Fields = {
  password: '',
  expires: '',
  window: '',
  filters: [],
  theme: 'system',
  origins: '',
}

type ShareFormProps = { target: ShareTarget; onCreated: (link: NewLink) => void }

/** Everything that restricts a link is optional. */
export function ShareForm({ target: { type, targetId }, onCreated }: ShareFormProps) {
  const { siteId } = usePlace()
  const { timezone } = useSession().site
  const create = useWrite('createShare', ['listShares'])
  const [fields, setFields] = useState(unrestricted)
  const words = text.shares
  const { password, expires, window, filters, theme, origins } = fields
  const change = (next: Partial<Fields>) => setFields({ ...fields, ...next })
  const submit = async () => {
    const narrowing = withFilters(window === '' ? {} : { window }, filters)
    const link = await create.send({
      body: {
        siteId,
        type,
        ...(targetId !== null && { targetId }),
        narrowing,
        theme,
        ...(password !== '' && { password }),
        ...(expires !== '' && { expiresAt: new Date(zonedMs(expires, timezone)).toISOString() }),
        origins: linesOf(origins),
      },
    })
    if (link !== null) onCreated(link)
  }
  return (
    <Form onSubmit={submit}>
      <Restrictions fields={fields} onChange={change} />
      <Frames fields={fields} onChange={change} />
      <ProblemNote error={create.error} />
      <div className="row end">
        <Button type="submit" look="primary" disabled={create.isSending}>
          {words.create}
        </Button>
      </div>
    </Form>
  )
}

type FieldsProps = { fields: Fields; onChange: (next: Partial<Fields>) => void }

function Restrictions({ fields: { password, expires, window, filters, theme }, onChange }: FieldsProps) {
  const { timezone } = useSession().site
  const words = text.shares
  return (
    <>
      <div className="form-row">
        <TextField
          label={words.password}
          name="password"
          type="password"
          value={password}
          hint={words.passwordHint}
          fault={passwordFault(password)}
          onChange={(value) => onChange({ password: value })}
        />
        <TextField
          label={words.expires}
          name="expiresAt"
          type="datetime-local"
          value={expires}
          hint={`${words.expiresHint} ${text.time.inSiteZone(timezone)}`}
          fault={expires === '' || zonedMs(expires, timezone) > now() ? null : words.expired}
          onChange={(value) => onChange({ expires: value })}
        />
        <SelectField
          label={words.period}
          value={window}
          choices={[
            { value: '', label: words.periods.open },
            ...windows.map((value) => ({
              value: String(value),
              label: words.periods.fixed(text.range.windows[value]),
            })),
          ]}
          onChange={(value) => onChange({ window: value })}
        />
        <SelectField
          label={words.theme}
          value={theme}
          choices={shareThemes.map((value) => ({ value, label: text.shell.themes[value] }))}
          onChange={(value) => onChange({ theme: value })}
        />
      </div>
      <div className="field">
        <span className="label">{words.filters}</span>
        <FilterList
          placed={filters.map((filter) => ({ filter, plain: null }))}
          onChange={(placed) => onChange({ filters: placed.map(({ filter }) => filter) })}
        />
        <span className="soft small">{words.filtersHint}</span>
      </div>
    </>
  )
}

/** The sites that may show it. */
function Frames({ fields: { origins }, onChange }: FieldsProps) {
  const words = text.shares
  return (
    <details>
      <summary>{words.embed}</summary>
      <AreaField
        label={words.embed}
        name="origins"
        rows={2}
        value={origins}
        hint={words.embedHint}
        fault={linesOf(origins).every(isOrigin) ? null : words.origin}
        onChange={(value) => onChange({ origins: value })}
      />
    </details>
  )
}

function passwordFault(password: string): string | null {
  const { passwordCharactersMin: least, passwordCharactersMax: most } = shareLimits
  if (password !== '' && password.length < least) return text.form.atLeast(least)
  return password.length > most ? text.form.atMost(most) : null
}

const linesOf = (written: string) =>
  written
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')

function isOrigin(line: string): boolean {
  return URL.canParse(line) && /^https?:$/.test(new URL(line).protocol) && new URL(line).pathname === '/'
}

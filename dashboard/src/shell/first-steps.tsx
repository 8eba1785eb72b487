import type { Role } from '@assay/contract'
import { useQueryClient } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { useLocation } from 'wouter'
import { createCall } from '../api/client.ts'
import { CallContext, useWrite } from '../api/reads.ts'
import { Button } from '../kit/button.tsx'
import { Card, Page } from '../kit/card.tsx'
import { TextField } from '../kit/field.tsx'
import { Form } from '../kit/form.tsx'
import { NoPermission, ProblemNote } from '../kit/states.tsx'
import { text } from '../text.ts'
import { hrefOf } from './place.ts'
import type { Me } from './session.ts'
import { SiteFields } from './site-fields.tsx'

/** For a signed-in user without a workspace. */
export function FirstWorkspace({ me }: { me: Me }) {
  const context = useMemo(() => ({ call: createCall(null), workspaceId: '' }), [])
  return (
    <CallContext value={context}>
      <main className="main">
        <Page title={text.first.workspaceTitle} lead={text.first.workspaceLead(me.user.email)}>
          <WorkspaceForm />
        </Page>
      </main>
    </CallContext>
  )
}

function WorkspaceForm() {
  const [name, setName] = useState('')
  const creation = useWrite('createWorkspace')
  const queries = useQueryClient()
  const submit = async () => {
    if (await creation.send({ body: { name } })) await queries.invalidateQueries({ queryKey: ['session'] })
  }
  return (
    <Card>
      <Form onSubmit={submit}>
        <TextField label={text.first.workspaceName} name="name" value={name} onChange={setName} isRequired />
        <ProblemNote error={creation.error} />
        <div>
          <Button type="submit" look="primary" disabled={creation.isSending}>
            {text.first.createWorkspace}
          </Button>
        </div>
      </Form>
    </Card>
  )
}

export function FirstSite({ role, workspaceId }: { role: Role; workspaceId: string }) {
  const mayCreate = role === 'owner' || role === 'admin'
  return (
    <main className="main">
      <Page title={text.first.siteTitle} lead={text.first.siteLead}>
        <Card>{mayCreate ? <SiteForm workspaceId={workspaceId} /> : <NoPermission />}</Card>
      </Page>
    </main>
  )
}

/** A new site of a workspace; leads to its guide. */
export function SiteForm({ workspaceId, onDone }: { workspaceId: string; onDone?: () => void }) {
  const ownZone = Intl.DateTimeFormat().resolvedOptions().timeZone
  const [fields, setFields] = useState({ name: '', domain: '', timezone: ownZone, currency: '' })
  const creation = useWrite('createSite', ['listSites'])
  const [, navigate] = useLocation()
  const set = (name: keyof typeof fields) => (value: string) => setFields({ ...fields, [name]: value })
  const submit = async () => {
    const { currency, ...rest } = fields
    const own = currency.trim().toUpperCase()
    const site = await creation.send({ body: { ...rest, ...(own !== '' && { currency: own }) } })
    if (site === null) return
    onDone?.()
    navigate(hrefOf({ workspaceId, siteId: site.id }, 'start'))
  }
  return (
    <Form onSubmit={submit}>
      <SiteFields fields={fields} onChange={set} isNew />
      <ProblemNote error={creation.error} />
      <div>
        <Button type="submit" look="primary" disabled={creation.isSending}>
          {text.sites.create}
        </Button>
      </div>
    </Form>
  )
}

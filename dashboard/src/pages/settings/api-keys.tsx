import { type ApiKey, environments, keyKindNames } from '@assay/contract'
import { useState } from 'react'
import { useList, useWrite } from '../../api/reads.ts'
import { now } from '../../clock.ts'
import { formatAgo, formatDay } from '../../format.ts'
import { Button } from '../../kit/button.tsx'
import { Badge, Card, Page } from '../../kit/card.tsx'
import { Code } from '../../kit/code.tsx'
import { Confirm } from '../../kit/confirm.tsx'
import { SelectField, TextField } from '../../kit/field.tsx'
import { Form } from '../../kit/form.tsx'
import { NoPermission, ProblemNote } from '../../kit/states.tsx'
import { ListTable } from '../../kit/table.tsx'
import { usePlace } from '../../shell/place.ts'
import { useMay, useSession } from '../../shell/session.ts'
import { eventText } from '../../text/events.ts'
import { workspaceText } from '../../text/workspace.ts'
import { text } from '../../text.ts'

/** Settings → Developer → API Keys. */
export default function ApiKeysPage() {
  const [mayRead, mayWrite] = [useMay('keys:read'), useMay('keys:write')]
  return (
    <Page title={text.pages.apiKeys} lead={workspaceText.keys.lead}>
      {mayWrite && (
        <Card title={workspaceText.keys.mint}>
          <MintForm />
        </Card>
      )}
      <Card title={workspaceText.keys.list}>{mayRead ? <Keys mayWrite={mayWrite} /> : <NoPermission />}</Card>
    </Page>
  )
}

function MintForm() {
  const { siteId } = usePlace()
  const { site } = useSession()
  const [name, setName] = useState('')
  const [kind, setKind] = useState<ApiKey['kind']>('live')
  const [environment, setEnvironment] = useState<ApiKey['environment']>('production')
  const minting = useWrite('mintApiKey', ['listApiKeys'])
  const submit = async () => {
    const bound = kind === 'public' ? { site_id: siteId } : {}
    await minting.send({ body: { kind, name, environment, ...bound } })
  }
  return (
    <Form onSubmit={submit}>
      <div className="form-row">
        <TextField label={workspaceText.keys.name} name="name" value={name} onChange={setName} isRequired />
        <SelectField
          label={workspaceText.keys.kind}
          hint={kind === 'public' ? workspaceText.keys.boundTo(site.name) : workspaceText.keys.hints[kind]}
          value={kind}
          choices={keyKindNames.map((value) => ({ value, label: workspaceText.keys.kinds[value] }))}
          onChange={setKind}
        />
        <SelectField
          label={eventText.code.environment}
          value={environment}
          choices={environments.map((value) => ({ value, label: eventText.code.environments[value] }))}
          onChange={setEnvironment}
        />
      </div>
      <ProblemNote error={minting.error} />
      {minting.result !== null && (
        <div className="note accept stack tight" role="status">
          <strong>{workspaceText.keys.once}</strong>
          <Code label={minting.result.name}>{minting.result.key}</Code>
        </div>
      )}
      <div>
        <Button type="submit" look="primary" disabled={minting.isSending}>
          {workspaceText.keys.mint}
        </Button>
      </div>
    </Form>
  )
}

function Keys({ mayWrite }: { mayWrite: boolean }) {
  const { site } = useSession()
  const columns = columnsIn(site.timezone)
  const keys = useList('listApiKeys', (cursor) => ({
    query: { limit: 50, ...(cursor !== undefined && { cursor }) },
  }))
  const acts = {
    title: text.acts.act,
    kind: 'act' as const,
    cell: (key: ApiKey) => (key.revoked_at === null ? <Revoke apiKey={key} /> : null),
  }
  return (
    <ListTable
      of={keys}
      caption={workspaceText.keys.list}
      keyOf={({ id }) => id}
      empty={{ title: workspaceText.keys.empty }}
      columns={mayWrite ? [...columns, acts] : columns}
    />
  )
}

const columnsIn = (timezone: string) => [
  {
    title: workspaceText.keys.name,
    cell: ({ name, hint }: ApiKey) => (
      <div className="stack tight">
        <strong>{name}</strong>
        <code className="soft">{hint}</code>
      </div>
    ),
  },
  { title: workspaceText.keys.kind, cell: ({ kind }: ApiKey) => workspaceText.keys.kinds[kind] },
  {
    title: eventText.code.environment,
    cell: ({ environment }: ApiKey) => eventText.code.environments[environment],
  },
  {
    title: workspaceText.keys.scopes,
    cell: ({ scopes }: ApiKey) => (scopes.includes('*') ? workspaceText.keys.everything : scopes.join(', ')),
  },
  {
    title: workspaceText.keys.state,
    cell: ({ revoked_at, expires_at }: ApiKey) =>
      revoked_at !== null ? (
        <Badge kind="reject">{workspaceText.keys.revoked}</Badge>
      ) : (
        <Badge kind="accept">
          {expires_at === null
            ? workspaceText.keys.active
            : workspaceText.keys.until(formatDay(expires_at, timezone))}
        </Badge>
      ),
  },
  {
    title: workspaceText.keys.lastUsed,
    kind: 'time' as const,
    cell: ({ last_used_at }: ApiKey) =>
      last_used_at === null ? text.time.never : formatAgo(last_used_at, now()),
  },
]

function Revoke({ apiKey }: { apiKey: ApiKey }) {
  const revoking = useWrite('revokeApiKey', ['listApiKeys'])
  return (
    <Confirm
      act={workspaceText.keys.revoke}
      label={`${workspaceText.keys.revoke}: ${apiKey.name}`}
      title={workspaceText.keys.revokeTitle(apiKey.name)}
      onConfirm={async () => (await revoking.send({ params: { id: apiKey.id } })) !== null}
      error={revoking.error}
      isSending={revoking.isSending}
    >
      <p>{workspaceText.keys.revokeMeans}</p>
    </Confirm>
  )
}

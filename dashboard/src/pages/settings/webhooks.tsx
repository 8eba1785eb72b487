import { deliveryStatuses, type WebhookConnection, type WebhookDelivery } from '@assay/contract'
import { useState } from 'react'
import { Link } from 'wouter'
import { useList, useRead, useWrite } from '../../api/reads.ts'
import { codeWords } from '../../code-words.ts'
import { formatDay, formatTime, toJson } from '../../format.ts'
import { Button } from '../../kit/button.tsx'
import { Badge, Card, Page } from '../../kit/card.tsx'
import { Code } from '../../kit/code.tsx'
import { Confirm } from '../../kit/confirm.tsx'
import { Dialog } from '../../kit/dialog.tsx'
import { TextField } from '../../kit/field.tsx'
import { useNotice } from '../../kit/notice.tsx'
import { Select } from '../../kit/select.tsx'
import { NoPermission, ProblemNote, Shown } from '../../kit/states.tsx'
import { ListTable } from '../../kit/table.tsx'
import { capitalised } from '../../plural.ts'
import { usePlace, useWay } from '../../shell/place.ts'
import { useMay, useSession } from '../../shell/session.ts'
import { workspaceText } from '../../text/workspace.ts'
import { text } from '../../text.ts'
import { ConnectionForm } from './connection-form.tsx'
import { vendorName } from './vendor-name.ts'

/** Vendors that deliver events: where, with what success, and what to do with what nothing was made of. */
export default function WebhooksPage() {
  const [mayRead, mayWrite] = [useMay('webhooks:read'), useMay('webhooks:write')]
  return (
    <Page title={text.pages.webhooks} lead={workspaceText.webhooks.lead}>
      {mayWrite && (
        <Card title={workspaceText.webhooks.connect}>
          <ConnectionForm />
        </Card>
      )}
      <Card title={workspaceText.webhooks.connections}>
        {mayRead ? <Connections mayWrite={mayWrite} /> : <NoPermission />}
      </Card>
      {mayRead && <Deliveries mayWrite={mayWrite} />}
    </Page>
  )
}

function Connections({ mayWrite }: { mayWrite: boolean }) {
  const connections = useList('listWebhookConnections', (cursor) => ({
    query: { limit: 50, ...(cursor !== undefined && { cursor }) },
  }))
  const { site, sites } = useSession()
  const words = workspaceText.webhooks
  return (
    <ListTable
      of={connections}
      caption={words.connections}
      keyOf={({ id }) => id}
      empty={{ title: words.noConnections }}
      columns={[
        {
          title: words.provider,
          cell: ({ provider, site_id }) => (
            <div className="stack tight">
              <strong>{vendorName(provider)}</strong>
              <span className="soft small">{sites.find(({ id }) => id === site_id)?.name ?? site_id}</span>
            </div>
          ),
        },
        { title: words.address, cell: ({ url }) => <code className="break">{url}</code> },
        {
          title: words.secrets,
          cell: ({ secrets_in_force, include_test }) => (
            <span className="row">
              {secrets_in_force}
              {include_test && <Badge kind="warn">{words.withTests}</Badge>}
            </span>
          ),
        },
        { title: words.since, kind: 'time', cell: ({ created_at }) => formatDay(created_at, site.timezone) },
        {
          title: text.acts.act,
          kind: 'act',
          cell: (connection) =>
            mayWrite ? (
              <span className="row end">
                <RotateSecret connection={connection} />
                <Disconnect connection={connection} />
              </span>
            ) : null,
        },
      ]}
    />
  )
}

/** A new secret as the vendor shows it; the previous one stays valid for a day. */
function RotateSecret({ connection }: { connection: WebhookConnection }) {
  const [secret, setSecret] = useState('')
  const rotating = useWrite('rotateWebhookSecrets', ['listWebhookConnections'])
  const rotate = async () => {
    const body = { secrets: [secret.trim()] }
    const isDone = (await rotating.send({ params: { id: connection.id }, body })) !== null
    if (isDone) setSecret('')
    return isDone
  }
  return (
    <Confirm
      act={workspaceText.webhooks.rotate}
      label={`${workspaceText.webhooks.rotate}: ${vendorName(connection.provider)}`}
      title={workspaceText.webhooks.rotateTitle(vendorName(connection.provider))}
      isDanger={false}
      onConfirm={rotate}
      error={rotating.error}
      isSending={rotating.isSending}
    >
      <p>{workspaceText.webhooks.rotateMeans}</p>
      <TextField
        label={workspaceText.webhooks.secret}
        hint={workspaceText.webhooks.secretHint}
        type="password"
        name="secrets"
        value={secret}
        onChange={setSecret}
        isRequired
      />
    </Confirm>
  )
}

function Disconnect({ connection }: { connection: WebhookConnection }) {
  const removing = useWrite('deleteWebhookConnection', ['listWebhookConnections'])
  const confirm = async () => (await removing.send({ params: { id: connection.id } })) !== null
  return (
    <Confirm
      act={workspaceText.webhooks.disconnect}
      label={`${workspaceText.webhooks.disconnect}: ${vendorName(connection.provider)}`}
      title={workspaceText.webhooks.disconnectTitle(vendorName(connection.provider))}
      onConfirm={confirm}
      error={removing.error}
      isSending={removing.isSending}
    >
      <p>{workspaceText.webhooks.disconnectMeans}</p>
    </Confirm>
  )
}

function Deliveries({ mayWrite }: { mayWrite: boolean }) {
  const { parameters } = usePlace()
  const way = useWay()
  const { site } = useSession()
  const status = deliveryStatuses.find((name) => name === parameters.get('status'))
  const deliveries = useList('listWebhookDeliveries', (cursor) => ({
    query: { limit: 50, ...(status && { status }), ...(cursor !== undefined && { cursor }) },
  }))
  const words = workspaceText.webhooks
  const statuses = deliveryStatuses.map((value) => ({
    value: String(value),
    label: capitalised(words.statuses[value]),
  }))
  return (
    <Card
      title={words.deliveries}
      act={
        <Select
          name={words.which}
          value={status ?? 'all'}
          choices={[{ value: 'all', label: words.all }, ...statuses]}
          onChange={(value) => way.go(way.here({ status: value === 'all' ? null : value }))}
        />
      }
    >
      <ListTable
        of={deliveries}
        caption={words.deliveries}
        keyOf={({ id }) => id}
        empty={{ title: words.noDeliveries }}
        columns={[
          {
            title: words.received,
            kind: 'time',
            cell: ({ received_at }) => formatTime(received_at, site.timezone),
          },
          { title: words.provider, cell: ({ provider }) => vendorName(provider) },
          { title: words.type, cell: (delivery) => <DeliveryType delivery={delivery} /> },
          { title: words.status, cell: (delivery) => <DeliveryStatus delivery={delivery} /> },
          {
            title: text.acts.act,
            kind: 'act',
            cell: (delivery) => (mayWrite ? <Replay delivery={delivery} /> : null),
          },
        ]}
      />
    </Card>
  )
}

/** What the vendor calls it, and on demand what it sent, as long as no event was made of it. */
function DeliveryType({ delivery }: { delivery: WebhookDelivery }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <button type="button" className="plain mono break" aria-haspopup="dialog" onClick={() => setOpen(true)}>
        {delivery.type}
      </button>
      <Dialog title={delivery.type} isOpen={isOpen} onClose={() => setOpen(false)} isWide>
        <Payload id={delivery.id} />
        <div className="row end">
          <Button onClick={() => setOpen(false)}>{text.acts.close}</Button>
        </div>
      </Dialog>
    </>
  )
}

function Payload({ id }: { id: string }) {
  const delivery = useRead('getWebhookDelivery', { params: { id } })
  const way = useWay()
  return (
    <Shown of={delivery}>
      {({ payload, event_ids }) => (
        <div className="stack">
          {event_ids.map((eventId) => (
            <Link key={eventId} className="mono break" href={way.to('receipts', { id: eventId })}>
              {eventId}
            </Link>
          ))}
          {payload === null || payload === undefined ? (
            <p className="soft">{workspaceText.webhooks.notKept}</p>
          ) : (
            <Code label={workspaceText.webhooks.sent}>{toJson(payload)}</Code>
          )}
        </div>
      )}
    </Shown>
  )
}

function DeliveryStatus({ delivery: { status, reason, repeats } }: { delivery: WebhookDelivery }) {
  const kind = status === 'accepted' ? 'accept' : status === 'rejected' ? 'reject' : 'warn'
  return (
    <div className="stack tight">
      <span className="row">
        <Badge kind={kind}>{workspaceText.webhooks.statuses[status]}</Badge>
        {repeats > 0 && <span className="soft small">{workspaceText.webhooks.again(repeats)}</span>}
      </span>
      {reason !== null && <span className="soft small">{reasonWords(reason)}</span>}
    </div>
  )
}

/** A delivery that the gate refused has the code of its issue. */
const reasonWords = (reason: string) =>
  codeWords(reason in text.codes.issues ? 'issues' : 'deliveries', reason)

function Replay({ delivery }: { delivery: WebhookDelivery }) {
  const replaying = useWrite('replayWebhookDelivery', ['listWebhookDeliveries'])
  const say = useNotice()
  if (delivery.status !== 'unmapped' && delivery.status !== 'rejected') return null
  const replay = async () => {
    const done = await replaying.send({ params: { id: delivery.id } })
    if (done !== null) say(workspaceText.webhooks.replayed(done.event_ids.length))
  }
  return (
    <>
      <Button
        isCompact
        aria-label={`${workspaceText.webhooks.replay}: ${delivery.type}`}
        disabled={replaying.isSending}
        onClick={() => void replay()}
      >
        {workspaceText.webhooks.replay}
      </Button>
      <ProblemNote error={replaying.error} />
    </>
  )
}

import type { Destination } from '@assay/contract'
import { useState } from 'react'
import { useRead, useWrite } from '../../api/reads.ts'
import { formatDay, formatMinute } from '../../format.ts'
import { Button } from '../../kit/button.tsx'
import { Card, Facts, Page } from '../../kit/card.tsx'
import { Code } from '../../kit/code.tsx'
import { Confirm } from '../../kit/confirm.tsx'
import { useNotice } from '../../kit/notice.tsx'
import { ProblemNote, Shown } from '../../kit/states.tsx'
import { useWay } from '../../shell/place.ts'
import { useMay, useSession } from '../../shell/session.ts'
import { text } from '../../text.ts'
import { DestinationForm } from './destination-form.tsx'
import { StateOf, sendsText } from './destination-state.tsx'
import { Dispatches } from './dispatches.tsx'

/** One destination: what goes there, whether it arrives, and what to do where it does not. */
export function DestinationPage({ id }: { id: string }) {
  const destination = useRead('getDestination', { params: { id } }, { everyMs: 5_000 })
  const way = useWay()
  return (
    <Page
      title={destination.data?.name ?? text.pages.destinations}
      back={{ href: way.to('settings/destinations'), title: text.destinations.back }}
    >
      <Shown of={destination}>{(data) => <Parts destination={data} />}</Shown>
    </Page>
  )
}

function Parts({ destination }: { destination: Destination }) {
  const mayWrite = useMay('webhooks:write')
  return (
    <>
      <Card title={text.destinations.state}>
        <State destination={destination} />
        {mayWrite && <Acts destination={destination} />}
      </Card>
      {mayWrite && (
        <Card title={text.destinations.sends}>
          <DestinationForm key={destination.id} destination={destination} />
        </Card>
      )}
      <Card title={text.destinations.log}>
        <Dispatches destination={destination} mayWrite={mayWrite} />
      </Card>
    </>
  )
}

function State({ destination }: { destination: Destination }) {
  const { site } = useSession()
  const { url, secrets_in_force, failing_since, created_at } = destination
  const words = text.destinations
  return (
    <>
      <StateOf destination={destination} />
      {failing_since !== null && (
        <p className="note warn">{words.failingSince(formatMinute(failing_since, site.timezone))}</p>
      )}
      <Facts
        of={[
          [words.url, <code key="url">{url}</code>],
          [words.sends, sendsText(destination)],
          [words.secrets, String(secrets_in_force)],
          [words.at, formatDay(created_at, site.timezone)],
        ]}
      />
    </>
  )
}

function Acts({ destination }: { destination: Destination }) {
  const [secret, setSecret] = useState<string | null>(null)
  return (
    <div className="stack">
      <div className="row">
        <Test destination={destination} />
        <PauseOrGoOn destination={destination} />
        <Rotate destination={destination} onRotated={setSecret} />
        <Remove destination={destination} />
      </div>
      {secret !== null && (
        <div className="note accept stack tight" role="status">
          <strong>{text.destinations.once}</strong>
          <Code label={text.destinations.secret}>{secret}</Code>
        </div>
      )}
    </div>
  )
}

function Test({ destination }: { destination: Destination }) {
  const testing = useWrite('testDestination', ['getDestination', 'listDispatches'])
  const words = text.destinations
  const { result } = testing
  return (
    <div className="stack tight">
      <Button
        isCompact
        look="primary"
        disabled={testing.isSending}
        onClick={() => void testing.send({ params: { id: destination.id } })}
      >
        {words.test}
      </Button>
      <ProblemNote error={testing.error} />
      {result !== null && (
        <p className={result.status === 'delivered' ? 'note accept' : 'note reject'} role="status">
          {result.status === 'delivered'
            ? words.delivered(result.response_status ?? 200)
            : words.notDelivered(result.error ?? String(result.response_status ?? words.noAnswer))}
        </p>
      )}
    </div>
  )
}

function PauseOrGoOn({ destination: { id, status } }: { destination: Destination }) {
  const changing = useWrite('updateDestination', ['listDestinations', 'getDestination'])
  const isActive = status === 'active'
  const turn = () => changing.send({ params: { id }, body: { status: isActive ? 'paused' : 'active' } })
  if (isActive) {
    return (
      <Confirm
        act={text.destinations.pause}
        title={text.destinations.pause}
        isDanger={false}
        onConfirm={async () => (await turn()) !== null}
        error={changing.error}
        isSending={changing.isSending}
      >
        <p>{text.destinations.pauseMeans}</p>
      </Confirm>
    )
  }
  return (
    <div className="stack tight">
      <Button isCompact disabled={changing.isSending} onClick={() => void turn()}>
        {text.destinations.goOn}
      </Button>
      <ProblemNote error={changing.error} />
    </div>
  )
}

type RotateProps = { destination: Destination; onRotated: (secret: string) => void }

function Rotate({ destination: { id }, onRotated }: RotateProps) {
  const rotating = useWrite('rotateDestinationSecret', ['getDestination'])
  const rotate = async () => {
    const done = await rotating.send({ params: { id }, body: {} })
    if (done !== null) onRotated(done.secret)
    return done !== null
  }
  return (
    <Confirm
      act={text.destinations.rotate}
      title={text.destinations.rotateTitle}
      isDanger={false}
      onConfirm={rotate}
      error={rotating.error}
      isSending={rotating.isSending}
    >
      <p>{text.destinations.rotateMeans}</p>
    </Confirm>
  )
}

function Remove({ destination: { id, name } }: { destination: Destination }) {
  const removing = useWrite('deleteDestination', ['listDestinations'])
  const way = useWay()
  const say = useNotice()
  const remove = async () => {
    const isGone = (await removing.send({ params: { id } })) !== null
    if (isGone) {
      say(text.destinations.removed)
      way.go(way.to('settings/destinations'))
    }
    return isGone
  }
  return (
    <Confirm
      act={text.destinations.remove}
      title={text.destinations.removeTitle(name)}
      onConfirm={remove}
      error={removing.error}
      isSending={removing.isSending}
    >
      <p>{text.destinations.removeMeans}</p>
    </Confirm>
  )
}

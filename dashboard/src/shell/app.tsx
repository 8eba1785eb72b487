import { ApiProblem } from '@assay/contract'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useMemo } from 'react'
import { useLocation } from 'wouter'
import { createCall } from '../api/client.ts'
import { readStanding } from '../api/connection.ts'
import { CallContext, useRead } from '../api/reads.ts'
import { LinkButton } from '../kit/button.tsx'
import { Empty, Failure, Loading } from '../kit/states.tsx'
import { text } from '../text.ts'
import { ConnectionBar } from './connection-bar.tsx'
import { sitesAsked } from './first-reads.ts'
import { FirstSite, FirstWorkspace } from './first-steps.tsx'
import { Layout } from './layout.tsx'
import { defaultPage, hrefOf, type Place, PlaceContext, useReadPlace } from './place.ts'
import { type Me, SessionContext } from './session.ts'

const isSignedOut = (error: Error | null) => error instanceof ApiProblem && error.status === 401

/** Where the user returns to after signing in. */
function goToSignIn(): void {
  const { pathname, search } = location
  location.replace(`/sign-in#to=${encodeURIComponent(pathname + search)}`)
}

/** The session is loaded first; nothing is shown without one. */
export function App() {
  const session = useQuery<Me, Error>({
    queryKey: ['session'],
    queryFn: () => createCall(null)('getSession', {}),
    staleTime: Number.POSITIVE_INFINITY,
  })
  const isNobody = isSignedOut(session.error) && readStanding() === 'signedOut'
  useEffect(() => {
    if (isNobody) goToSignIn()
  }, [isNobody])
  if (session.data !== undefined) return <ForPerson me={session.data} />
  return (
    <main className="main">
      <ConnectionBar />
      {session.error === null || isNobody ? (
        <Loading />
      ) : (
        <Failure error={session.error} onRetry={() => void session.refetch()} />
      )}
    </main>
  )
}

function ForPerson({ me }: { me: Me }) {
  const place = useReadPlace()
  const [location] = useLocation()
  const named = location.split('/')[1] ?? ''
  const workspaceId = named.startsWith('ws_') ? named : (me.workspaces[0]?.id ?? null)
  if (workspaceId === null) return <FirstWorkspace me={me} />
  const workspace = me.workspaces.find(({ id }) => id === workspaceId)
  if (workspace === undefined) return <Elsewhere title={text.shell.noWorkspace} />
  return <InWorkspace key={workspaceId} me={me} workspaceId={workspaceId} place={place} />
}

type InWorkspaceProps = { me: Me; workspaceId: string; place: Place | null }

function InWorkspace({ me, workspaceId, place }: InWorkspaceProps) {
  const context = useMemo(() => ({ call: createCall(workspaceId), workspaceId }), [workspaceId])
  return (
    <CallContext value={context}>
      <WithSites me={me} workspaceId={workspaceId} place={place} />
    </CallContext>
  )
}

/** The site that was looked at last is where a workspace opens. */
const memory = (workspaceId: string) => `assay.site.${workspaceId}`

function WithSites({ me, workspaceId, place }: InWorkspaceProps) {
  const sites = useRead('listSites', sitesAsked)
  const [, navigate] = useLocation()
  const role = me.workspaces.find(({ id }) => id === workspaceId)?.role ?? 'viewer'
  const first = sites.data?.data[0]
  const last = sites.data?.data.find(({ id }) => id === localStorage.getItem(memory(workspaceId)))
  const siteId = (last ?? first)?.id
  useEffect(() => {
    if (place !== null) localStorage.setItem(memory(workspaceId), place.siteId)
    else if (siteId !== undefined) {
      navigate(hrefOf({ workspaceId, siteId }, defaultPage), { replace: true })
    }
  }, [place, siteId, workspaceId, navigate])
  if (sites.data === undefined) {
    return (
      <main className="main">
        <ConnectionBar />
        {sites.error === null ? (
          <Loading />
        ) : (
          <Failure error={sites.error} onRetry={() => void sites.refetch()} />
        )}
      </main>
    )
  }
  if (first === undefined) return <FirstSite role={role} workspaceId={workspaceId} />
  if (place === null) return null
  const site = sites.data.data.find(({ id }) => id === place.siteId)
  if (site === undefined) return <Elsewhere title={text.shell.noSite} />
  return (
    <SessionContext value={{ me, role, site, sites: sites.data.data }}>
      <PlaceContext value={place}>
        <Layout />
      </PlaceContext>
    </SessionContext>
  )
}

/** A link that leads to what is not there, or not there for this person: both look the same. */
function Elsewhere({ title }: { title: string }) {
  return (
    <main className="main">
      <Empty title={title}>
        <LinkButton href="/">{text.shell.toStart}</LinkButton>
      </Empty>
    </main>
  )
}

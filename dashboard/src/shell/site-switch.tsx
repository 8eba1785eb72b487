import { useLocation } from 'wouter'
import { Select } from '../kit/field.tsx'
import { text } from '../text.ts'
import { matchPage } from './pages.ts'
import { hrefOf, keptOf, usePlace } from './place.ts'
import { useSession } from './session.ts'

/** Workspace and site. Another site is shown on the same page; another workspace starts at its first site. */
export function SiteSwitch() {
  const { me, sites } = useSession()
  const place = usePlace()
  const [, navigate] = useLocation()
  const page = matchPage(place.path)?.entry.path ?? 'overview'
  const toSite = (siteId: string) =>
    navigate(hrefOf({ ...place, siteId }, page, keptOf(place.parameters).toString()))
  return (
    <>
      {me.workspaces.length > 1 && (
        <Select
          name={text.shell.workspace}
          value={place.workspaceId}
          choices={me.workspaces.map(({ id, name }) => ({ value: id, label: name }))}
          onChange={(workspaceId) => navigate(`/${workspaceId}`)}
        />
      )}
      <Select
        name={text.shell.site}
        value={place.siteId}
        choices={sites.map(({ id, name, domain }) => ({ value: id, label: `${name} (${domain})` }))}
        onChange={toSite}
      />
    </>
  )
}

import { ChevronsUpDown } from 'lucide-react'
import { text } from '../text.ts'
import { usePlace } from './place.ts'
import { useSession } from './session.ts'

/** Names the site and its workspace; the search over all of them changes it. */
export function SiteSwitch({ onClick }: { onClick: () => void }) {
  const { me, site } = useSession()
  const { workspaceId } = usePlace()
  const workspace = me.workspaces.find(({ id }) => id === workspaceId)?.name ?? ''
  return (
    <button type="button" className="site-switch" aria-haspopup="dialog" onClick={onClick}>
      <span className="site-letter" data-letter={site.name.slice(0, 1)} />
      <span className="hidden">{text.shell.site}</span>
      <span className="site-names wide-only">
        <strong>{site.name}</strong>
        <span>{workspace}</span>
      </span>
      <ChevronsUpDown className="icon wide-only" aria-hidden="true" />
    </button>
  )
}

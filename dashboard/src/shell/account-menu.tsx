import { Menu } from '@base-ui/react/menu'
import { Check } from 'lucide-react'
import { Unreachable } from '../api/connection.ts'
import { useCall } from '../api/reads.ts'
import { useNotice } from '../kit/notice.tsx'
import { setTheme, themes, useChosenTheme } from '../kit/theme.ts'
import { text } from '../text.ts'
import { useWay } from './place.ts'
import { useSession } from './session.ts'

/** The account, the appearance and the way out. */
export default function AccountMenu() {
  const { me } = useSession()
  const { call } = useCall()
  const way = useWay()
  const theme = useChosenTheme()
  const say = useNotice()
  // A session that has ended anyway is as good as one that was ended here; out of reach, it is neither.
  const signOut = () =>
    call('revokeSession', { body: {} }).then(
      () => location.assign('/sign-in'),
      (error) =>
        error instanceof Unreachable ? say(text.states.unreachable.title) : location.assign('/sign-in'),
    )
  const name = me.user.name || me.user.email
  return (
    <Menu.Root>
      <Menu.Trigger className="account">
        <span className="site-letter round" data-letter={name.slice(0, 1)} />
        <span className="hidden">{text.shell.account}</span>
        <span className="site-names wide-only">{name}</span>
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner sideOffset={6} align="end" className="menu-place">
          <Menu.Popup className="menu">
            <Menu.Group>
              <Menu.GroupLabel className="menu-label">{text.shell.theme}</Menu.GroupLabel>
              <Menu.RadioGroup value={theme} onValueChange={setTheme}>
                {themes.map((value) => (
                  <Menu.RadioItem key={value} value={value} className="menu-item" closeOnClick>
                    <span className="grow">{text.shell.themes[value]}</span>
                    <Menu.RadioItemIndicator>
                      <Check className="icon" aria-hidden="true" />
                    </Menu.RadioItemIndicator>
                  </Menu.RadioItem>
                ))}
              </Menu.RadioGroup>
            </Menu.Group>
            <Menu.Separator className="menu-line" />
            <Menu.Item className="menu-item" onClick={() => way.go(way.to('settings/sessions'))}>
              {text.pages.sessions}
            </Menu.Item>
            <Menu.LinkItem className="menu-item" href="/docs/" target="_blank" rel="noreferrer">
              {text.shell.docs}
            </Menu.LinkItem>
            <Menu.Item className="menu-item" onClick={() => void signOut()}>
              {text.shell.signOut}
            </Menu.Item>
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  )
}

import { Suspense } from 'react'
import { page } from './load-page.ts'

const AccountMenu = page(() => import('./account-menu.tsx'))

/** Its menu is not needed for the first picture of a page, and comes after it. */
export function Account() {
  return (
    <Suspense fallback={<div className="account" />}>
      <AccountMenu />
    </Suspense>
  )
}

import type { ButtonHTMLAttributes, ReactNode } from 'react'
import { Link } from 'wouter'

type Look = 'primary' | 'danger' | 'ghost' | 'usual'
type Props = ButtonHTMLAttributes<HTMLButtonElement> & { look?: Look; isCompact?: boolean }

const classes = (look: Look, isCompact: boolean) =>
  ['button', look === 'usual' ? '' : look, isCompact ? 'compact' : ''].filter(Boolean).join(' ')

export function Button({ look = 'usual', isCompact = false, type = 'button', className, ...rest }: Props) {
  return <button type={type} className={`${classes(look, isCompact)} ${className ?? ''}`} {...rest} />
}

type LinkProps = {
  href: string
  children: ReactNode
  look?: Look
  isCompact?: boolean
  'aria-label'?: string
}

export function LinkButton({ href, children, look = 'usual', isCompact = false, ...rest }: LinkProps) {
  return (
    <Link href={href} className={classes(look, isCompact)} {...rest}>
      {children}
    </Link>
  )
}

import { ArrowLeft } from 'lucide-react'
import { type ReactNode, useEffect, useId } from 'react'
import { Link } from 'wouter'
import { text } from '../text.ts'

type CardProps = { title?: string; act?: ReactNode; children: ReactNode }

export function Card({ title, act, children }: CardProps) {
  const id = useId()
  if (title === undefined) return <section className="card">{children}</section>
  return (
    <section className="card" aria-labelledby={id}>
      <div className="row between">
        <h2 id={id}>{title}</h2>
        {act}
      </div>
      {children}
    </section>
  )
}

type PageProps = {
  title: string
  lead?: ReactNode
  acts?: ReactNode
  /** The list that it is one of. */
  back?: { href: string; title: string }
  children: ReactNode
}

/** A longer title is the message of a visitor's error, and gets a smaller font. */
const titleCharsMax = 60

/** The frame of every page: its name, its purpose, its actions, and the content. */
export function Page({ title, lead, acts, back, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} · ${text.product}`
  }, [title])
  return (
    <div className="page">
      <header className="page-head">
        {back !== undefined && (
          <Link className="page-back" href={back.href}>
            <ArrowLeft className="icon" aria-hidden="true" />
            {back.title}
          </Link>
        )}
        <h1 className={title.length > titleCharsMax ? 'long' : undefined}>{title}</h1>
        {acts !== undefined && <div className="row page-acts">{acts}</div>}
        {lead !== undefined && lead !== '' && <p className="page-lead soft">{lead}</p>}
      </header>
      {children}
    </div>
  )
}

export function Badge({ kind, children }: { kind?: string; children: ReactNode }) {
  return <span className={`badge ${kind ?? ''}`}>{children}</span>
}

type FactsProps = {
  of: readonly (readonly [string, ReactNode])[]
  /** The values are sentences: on a phone each stands below its name. */
  isLong?: boolean
}

/** Names and their values, one below the other. */
export function Facts({ of, isLong = false }: FactsProps) {
  return (
    <dl className={isLong ? 'facts long' : 'facts'}>
      {of.map(([name, value]) => (
        <FactLine key={name} name={name} value={value} />
      ))}
    </dl>
  )
}

function FactLine({ name, value }: { name: string; value: ReactNode }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{value === null || value === '' || value === undefined ? text.nothing : value}</dd>
    </>
  )
}

export function Progress({ label, share }: { label: string; share: number }) {
  const percent = Math.round(share * 100)
  return (
    <div className="progress" role="progressbar" aria-label={label} aria-valuenow={percent}>
      <div style={{ width: `${percent}%` }} />
    </div>
  )
}

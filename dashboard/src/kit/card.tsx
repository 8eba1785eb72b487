import { type ReactNode, useEffect, useId } from 'react'
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

type PageProps = { title: string; lead?: ReactNode; acts?: ReactNode; children: ReactNode }

/** The frame of every page: its name, its purpose, its actions, and the content. */
/** A longer title is the message of a visitor's error, and gets a smaller font. */
const titleCharsMax = 60

export function Page({ title, lead, acts, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} · ${text.product}`
  }, [title])
  return (
    <div className="page">
      <header className="page-head">
        <div>
          <h1 className={title.length > titleCharsMax ? 'long' : undefined}>{title}</h1>
          {lead !== undefined && <p className="soft">{lead}</p>}
        </div>
        {acts !== undefined && <div className="row">{acts}</div>}
      </header>
      {children}
    </div>
  )
}

export function Badge({ kind, children }: { kind?: string; children: ReactNode }) {
  return <span className={`badge ${kind ?? ''}`}>{children}</span>
}

/** Names and their values, one below the other. */
export function Facts({ of }: { of: readonly (readonly [string, ReactNode])[] }) {
  return (
    <dl className="facts">
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

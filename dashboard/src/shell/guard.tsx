import { Component, type ReactNode } from 'react'
import { Failure } from '../kit/states.tsx'

/** A bug in a room stays in that room: the rest of the page goes on, and the words say what happened. */
export class Guard extends Component<{ children: ReactNode }, { error: Error | null }> {
  override state: { error: Error | null } = { error: null }

  static getDerivedStateFromError(error: Error): { error: Error } {
    return { error }
  }

  override render(): ReactNode {
    const { error } = this.state
    if (error === null) return this.props.children
    return <Failure error={error} onRetry={() => this.setState({ error: null })} />
  }
}

import { Component, type ReactNode } from 'react'
import { Failure } from '../kit/states.tsx'

type Props = {
  children: ReactNode
  /** What is shown; another address is another try. */
  place: string
}

/** A bug in a room stays in that room: the rest of the page goes on, and the words say what happened. */
export class Guard extends Component<Props, { error: Error | null }> {
  override state: { error: Error | null } = { error: null }

  static getDerivedStateFromError(error: Error): { error: Error } {
    return { error }
  }

  override componentDidUpdate({ place }: Props): void {
    if (place !== this.props.place && this.state.error !== null) this.setState({ error: null })
  }

  override render(): ReactNode {
    const { error } = this.state
    if (error === null) return this.props.children
    return <Failure error={error} onRetry={() => this.setState({ error: null })} />
  }
}

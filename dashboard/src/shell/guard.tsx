import { Component, type ReactNode } from 'react'
import { Failure } from '../kit/states.tsx'

type Props = {
  children: ReactNode
  /** What is shown; another address is another try. */
  place: string
}

/** An error in one page stays in that page: the rest of the dashboard works, and a message explains it. */
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

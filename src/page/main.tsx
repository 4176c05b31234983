/** Starts the page. */
import { render } from 'preact'

const root = document.getElementById('app')
if (root) render(<h1>AgentMail</h1>, root)

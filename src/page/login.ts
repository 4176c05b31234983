/** The login: keeps the view that was asked for, and lets those in who are logged in already. */
export {}

const { pathname, hash } = location
const form = document.querySelector('form')

// A link on another site brings no cookie along: the server sees it when this page itself asks.
if (pathname !== '/login') location.replace(`/login${hash}`)
form?.addEventListener('submit', () => {
  form.action = `/login${location.hash}`
})

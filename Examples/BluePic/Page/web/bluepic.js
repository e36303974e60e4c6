// The parts of BluePic's pages that need a script: the number of new photos, and the button that shares a photo.

const news = document.getElementById('news')
if (news) {
  const shown = new Set([...document.querySelectorAll('.card .picture')].map((link) => link.pathname.split('/').pop()))
  const waiting = new Set()
  const show = () => {
    news.hidden = waiting.size === 0
    news.firstElementChild.textContent = waiting.size === 1 ? '1 new photo' : `${waiting.size} new photos`
  }
  const events = new EventSource('/images/events')
  events.addEventListener('image', (event) => {
    const id = JSON.parse(event.data)._id
    if (!shown.has(id)) waiting.add(id)
    show()
  })
  events.addEventListener('gone', (event) => {
    waiting.delete(JSON.parse(event.data).id)
    show()
  })
  addEventListener('pagehide', () => events.close())
}

for (const button of document.querySelectorAll('[data-share]')) {
  const url = button.dataset.share
  const status = button.parentElement.querySelector('.shared')
  button.textContent = navigator.share ? 'Share' : 'Copy link'
  button.hidden = !navigator.share && !navigator.clipboard
  button.addEventListener('click', async () => {
    try {
      if (navigator.share) return await navigator.share({ title: document.title, url })
      await navigator.clipboard.writeText(url)
      status.textContent = 'Copied.'
    } catch (error) {
      if (error.name !== 'AbortError') status.textContent = 'The link could not be copied. Copy the address of this page.'
    }
  })
}

// A formula that is wider than the page scrolls by itself; the keyboard must reach it then.
window.addEventListener("load", async () => {
  await window.MathJax?.startup?.promise;
  for (const formula of document.querySelectorAll('mjx-container[display="true"]')) {
    if (formula.scrollWidth > formula.clientWidth) formula.tabIndex = 0;
  }
});

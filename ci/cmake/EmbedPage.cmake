# cmake -DOUT=page_files.cpp -DTEMPLATE=a.html -DSTYLE=a.css -DSCRIPTS=a.js|b.js -DCHART=chart.min.js
#   -P EmbedPage.cmake
# The page as a C++ source (harness/reports/html/page_files.h). Nothing that ends a script element
# early, and no line ends but \n: a browser hashes the text that it parsed.
function(read_page_file path out)
  file(READ "${path}" text)
  string(FIND "${text}" "\r" has_return)
  string(FIND "${text}" ")~page~\"" has_delimiter)
  string(REGEX MATCH "</[sS][cC][rR][iI][pP][tT]|</[sS][tT][yY][lL][eE]|<!--" has_end "${text}")
  if(NOT has_return EQUAL -1 OR NOT has_delimiter EQUAL -1 OR (has_end AND NOT path MATCHES "html$"))
    message(FATAL_ERROR "${path} cannot stand in a page: it holds a carriage return, '${has_end}' or )~page~\"")
  endif()
  set(${out} "${text}" PARENT_SCOPE)
endfunction()

read_page_file("${TEMPLATE}" template)
read_page_file("${STYLE}" style)
read_page_file("${CHART}" chart)
set(script "")
string(REPLACE "|" ";" SCRIPTS "${SCRIPTS}")
foreach(path IN LISTS SCRIPTS)
  read_page_file("${path}" one)
  string(APPEND script "${one}")
endforeach()

file(WRITE "${OUT}" "#include \"harness/reports/html/page_files.h\"\n\nnamespace traceml {\n")
foreach(part IN ITEMS "kPageTemplate;template" "kPageStyle;style" "kPageScript;script" "kChartScript;chart")
  list(GET part 0 name)
  list(GET part 1 variable)
  file(APPEND "${OUT}" "\nconst std::string_view ${name} = R\"~page~(" "${${variable}}" ")~page~\";\n")
endforeach()
file(APPEND "${OUT}" "\n}  // namespace traceml\n")
